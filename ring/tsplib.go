package ring

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tsplibKeys are the keywords of TSPLIB's files (Reinelt: TSPLIB 95) that may be in one with points of the plane.
var tsplibKeys = map[string]bool{
	"NAME": true, "TYPE": true, "COMMENT": true, "DIMENSION": true, "EDGE_WEIGHT_TYPE": true, "NODE_COORD_TYPE": true,
	"DISPLAY_DATA_TYPE": true, "NODE_COORD_SECTION": true, "EOF": true,
}

// keyword is what a line of TSPLIB's begins with, and what follows it.
func keyword(line string) (key, value string) {
	key, value, _ = strings.Cut(line, ":")
	return strings.TrimSpace(key), strings.TrimSpace(value)
}

// readTSPLIB reads points of the plane, EUC_2D. The costs are their distances, rounded to whole numbers.
func readTSPLIB(l *lines) (Links, error) {
	n, euclidean := 0, false
	for more := true; more; more = l.next() {
		key, value := keyword(l.text)
		switch key {
		case "NAME", "COMMENT", "DISPLAY_DATA_TYPE":
		case "TYPE":
			if value != "TSP" {
				return Links{}, l.wrong("TYPE is %q; it must be TSP", shortened(value))
			}
		case "EDGE_WEIGHT_TYPE":
			if euclidean = value == "EUC_2D"; !euclidean {
				return Links{}, l.wrong("EDGE_WEIGHT_TYPE is %q; it must be EUC_2D", shortened(value))
			}
		case "NODE_COORD_TYPE":
			if value != "TWOD_COORDS" {
				return Links{}, l.wrong("NODE_COORD_TYPE is %q; it must be TWOD_COORDS", shortened(value))
			}
		case "DIMENSION":
			var err error
			if n, err = strconv.Atoi(value); err != nil || n < 1 || n > MaxNodes {
				return Links{}, l.wrong("DIMENSION is %q; it must be a whole number, 1 to %d", shortened(value), MaxNodes)
			}
		case "NODE_COORD_SECTION":
			switch {
			case n == 0:
				return Links{}, l.wrong("DIMENSION must be said before NODE_COORD_SECTION")
			case !euclidean:
				return Links{}, l.wrong("EDGE_WEIGHT_TYPE must be said before NODE_COORD_SECTION; it must be EUC_2D")
			}
			return readPoints(l, n)
		case "EOF":
			return Links{}, l.wrong("there is no NODE_COORD_SECTION")
		default:
			return Links{}, l.wrong("%q is no keyword of a file with EUC_2D", shortened(key))
		}
	}
	return Links{}, l.end(errors.New("there is no NODE_COORD_SECTION"))
}

// point is one of the plane.
type point struct{ x, y float64 }

// readPoints reads what follows NODE_COORD_SECTION.
func readPoints(l *lines, n int) (Links, error) {
	var points []point
	place := map[int]int{}
	for l.next() && l.text != "EOF" {
		id, p, err := readPoint(l, n)
		if err != nil {
			return Links{}, err
		}
		if _, twice := place[id]; twice {
			return Links{}, l.wrong("node %d is there twice", id)
		}
		place[id] = len(points)
		points = append(points, p)
	}
	if len(points) < n || l.scanner.Err() != nil {
		return Links{}, l.end(fmt.Errorf("NODE_COORD_SECTION has %d nodes; it must have %d, as DIMENSION says", len(points), n))
	}
	if l.text == "EOF" && l.next() {
		return Links{}, l.wrong("nothing may follow EOF")
	}
	if err := l.scanner.Err(); err != nil {
		return Links{}, l.end(err)
	}
	links := Links{Cost: NewMatrix(n), Names: make([]string, n)}
	for i := range n {
		links.Names[i] = strconv.Itoa(i + 1)
		for j := range n {
			links.Cost.Set(i, j, distance(points[place[i+1]], points[place[j+1]]))
		}
	}
	return links, nil
}

// readPoint reads the number of a node and its two coordinates.
func readPoint(l *lines, n int) (id int, p point, err error) {
	fields := strings.Fields(l.text)
	if len(fields) != 3 {
		return 0, p, l.wrong("it has %d values; it must have 3: a node's number, x, y", len(fields))
	}
	if id, err = strconv.Atoi(fields[0]); err != nil || id < 1 || id > n {
		return 0, p, l.wrong("the node is %q; it must be a whole number, 1 to %d, as DIMENSION says", shortened(fields[0]), n)
	}
	for i, to := range []*float64{&p.x, &p.y} {
		if *to, err = strconv.ParseFloat(fields[i+1], 64); err != nil || !(math.Abs(*to) <= mostCoordinate) {
			return 0, p, l.wrong("the coordinate is %q; it must be a number, -1e100 to 1e100", shortened(fields[i+1]))
		}
	}
	return id, p, nil
}

// mostCoordinate bounds coordinates so that the square of a distance is no infinity.
const mostCoordinate = 1e100

// distance is TSPLIB's: to the nearest whole number. Each product is rounded by itself, so that all processors give the same.
func distance(a, b point) float64 {
	x, y := a.x-b.x, a.y-b.y
	return math.Floor(math.Sqrt(float64(x*x)+float64(y*y)) + 0.5)
}
