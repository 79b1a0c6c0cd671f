package topo

import (
	"encoding/json"
	"io"
)

// Read reads a topology from JSON.
func Read(r io.Reader) (*Topology, error) {
	var t Topology
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return nil, err
	}
	return &t, nil
}
