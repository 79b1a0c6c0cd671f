package ring

import "math"

// MaxNodes is how many nodes a ring may have.
const MaxNodes = 8192

// NoLink is the cost of a link that is not there.
var NoLink = math.Inf(1)

// Matrix is a number for each ordered pair of nodes. What it has from a node to itself is not looked at.
type Matrix struct {
	n      int
	values []float64
}

// NewMatrix makes a matrix of zeros for n nodes.
func NewMatrix(n int) *Matrix { return &Matrix{n, make([]float64, n*n)} }

// Len is the number of nodes.
func (m *Matrix) Len() int { return m.n }

// At is the number from node i to node j.
func (m *Matrix) At(i, j int) float64 { return m.values[i*m.n+j] }

// Set sets the number from node i to node j.
func (m *Matrix) Set(i, j int, v float64) { m.values[i*m.n+j] = v }
