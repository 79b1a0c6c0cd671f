package engine

import "errors"

// NoColor is the color of a rank that gets no communicator from Split.
const NoColor = -1

// Split makes one communicator for each color, of the ranks that give it, in the order of their keys and then of their
// ranks here. All ranks call it, as a collective. A rank that gives NoColor gets nil. cfg may be nil.
func (c *Comm) Split(color, key int, cfg *Config) (*Comm, error) { return nil, errors.New("to be written") }

// Dup makes a communicator of the same ranks. All call it, as a collective.
func (c *Comm) Dup(cfg *Config) (*Comm, error) { return nil, errors.New("to be written") }
