package ring

import "slices"

// What happens to the blossoms of a [matcher].

// up is the way from an outer blossom to the one that the tree comes from: over an inner one, to an outer one; or false at
// the root.
func (m *matcher) up(b int32) (first, second pair, ok bool) {
	mate := m.mate[m.base[b]]
	if mate < 0 {
		return first, second, false
	}
	return pair{m.base[b], mate}, m.entry[m.top[mate]].turned(), true
}

// meeting is the outer blossom at which the ways from two of them to the root meet.
func (m *matcher) meeting(a, b int32) int32 {
	seen := map[int32]bool{}
	for ok := true; ok; {
		seen[a] = true
		var p pair
		if _, p, ok = m.up(a); ok {
			a = m.top[p.v]
		}
	}
	for !seen[b] {
		_, p, _ := m.up(b)
		b = m.top[p.v]
	}
	return b
}

// shrink makes one outer blossom of the circle that a link between two of them closes.
func (m *matcher) shrink(p pair) {
	meet := m.meeting(m.top[p.u], m.top[p.v])
	links := m.way(m.top[p.u], meet)
	slices.Reverse(links)
	for i := range links {
		links[i] = links[i].turned()
	}
	links = append(append(links, p), m.way(m.top[p.v], meet)...)
	b := m.unused[len(m.unused)-1]
	m.unused = m.unused[:len(m.unused)-1]
	parts := make([]int32, len(links))
	for i, l := range links {
		parts[i] = m.top[l.u]
	}
	m.parts[b], m.links[b], m.base[b], m.dual[b], m.label[b] = parts, links, m.base[meet], 0, outer
	m.enclose(b)
}

// way is the links from an outer blossom up to another one.
func (m *matcher) way(from, to int32) (links []pair) {
	for from != to {
		first, second, _ := m.up(from)
		links = append(links, first, second)
		from = m.top[second.v]
	}
	return links
}

// enclose puts an outer blossom in the place of its parts.
func (m *matcher) enclose(b int32) {
	for _, part := range m.parts[b] {
		m.parent[part] = b
		m.vertices(part, func(v int32) { m.top[v] = b })
	}
	m.outer = slices.DeleteFunc(m.outer, func(o int32) bool { return m.parent[o] == b })
	m.clearRow(b)
	m.outer = append(m.outer, b)
	for _, part := range m.parts[b] {
		if m.label[part] == inner {
			m.scan(part, b)
		} else {
			for _, other := range m.outer[:len(m.outer)-1] {
				m.offer(b, other, m.row[part][other])
			}
		}
		m.label[part] = free // it is no longer outermost
	}
	m.findNear(b)
}

// expand takes an inner blossom apart, whose dual is 0: the parts between where the tree comes in and the base become
// inner and outer ones in turns, the others are free.
func (m *matcher) expand(b int32) {
	parts, links := m.parts[b], m.links[b]
	for _, part := range parts {
		m.parent[part], m.label[part] = -1, free
		m.vertices(part, func(v int32) { m.top[v] = part })
	}
	m.label[b], m.parts[b], m.links[b] = free, nil, nil
	m.unused = append(m.unused, b)
	entry := m.entry[b]
	way, steps := around(slices.Index(parts, m.top[entry.v]), parts, links)
	for i, part := range way {
		if i%2 == 1 {
			continue
		}
		m.label[part], m.entry[part] = inner, entry
		if i < len(steps) {
			entry = steps[i+1]
		}
	}
	for i, part := range way {
		if i%2 == 1 {
			m.makeOuter(part)
		}
	}
}

// around is the way with an even number of links from a part of a circle to the first one, the parts and the links.
func around(from int, parts []int32, links []pair) (way []int32, steps []pair) {
	way = append(way, parts[from])
	for i := from; i != 0; {
		if from%2 == 1 {
			steps = append(steps, links[i])
			i = (i + 1) % len(parts)
		} else {
			i--
			steps = append(steps, links[i].turned())
		}
		way = append(way, parts[i])
	}
	return way, steps
}

// augment matches both ends of a link from the tree to a free vertex, whose blossom has no mate, and changes the matching
// from there up to the root.
func (m *matcher) augment(p pair) {
	m.rebase(m.top[p.v], p.v)
	for {
		b := m.top[p.u]
		_, second, ok := m.up(b)
		m.rebase(b, p.u)
		m.match(p)
		if !ok {
			return
		}
		m.rebase(m.top[second.u], second.u)
		p = second.turned()
	}
}

func (m *matcher) match(p pair) { m.mate[p.u], m.mate[p.v] = p.v, p.u }

// rebase makes another vertex the base of a blossom.
func (m *matcher) rebase(b, v int32) {
	if b < int32(m.n) || m.base[b] == v {
		return
	}
	part := v
	for m.parent[part] != b {
		part = m.parent[part]
	}
	at := slices.Index(m.parts[b], part)
	m.rebase(part, v)
	way, steps := around(at, m.parts[b], m.links[b])
	for i := 1; i < len(way); i += 2 {
		p := steps[i]
		m.rebase(way[i], p.u)
		m.rebase(way[i+1], p.v)
		m.match(p)
	}
	m.parts[b] = append(slices.Clone(m.parts[b][at:]), m.parts[b][:at]...)
	m.links[b] = append(slices.Clone(m.links[b][at:]), m.links[b][:at]...)
	m.base[b] = v
}
