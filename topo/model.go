package topo

// docs/topology.schema.json is made of these types and comments. A field must be there unless it is one to leave out.

// Topology is a set of hosts, switches and links. Bandwidths are in bytes a second, in each direction; latencies in seconds.
type Topology struct {
	Name     string   `json:"name,omitempty"`
	Hosts    []Host   `json:"hosts"`
	Switches []Switch `json:"switches,omitempty"`
	Links    []Link   `json:"links,omitempty"`
}

// Host is a machine. Ranks on it exchange messages through its memory.
type Host struct {
	Name   string `json:"name"`
	Zone   string `json:"zone,omitempty"` // hosts of one zone are near each other
	Memory Memory `json:"memory,omitzero"`
	NUMA   []NUMA `json:"numa,omitempty"` // none is the same as one without limits
	NICs   []NIC  `json:"nics,omitempty"`
}

// Memory is what messages inside a host go through.
type Memory struct {
	Bandwidth float64 `json:"bandwidth,omitempty"` // of all such messages together; 0 is without limit
	Latency   float64 `json:"latency,omitempty"`
}

// NUMA is a domain of a host: processors, memory, and the devices on its buses. All that its NICs send and receive goes
// through it.
type NUMA struct {
	ID         int     `json:"id"`
	Processors []int   `json:"processors,omitempty"`
	Bandwidth  float64 `json:"bandwidth,omitempty"` // of its NICs together; 0 is without limit
}

// NIC is a network port of a host.
type NIC struct {
	Name      string  `json:"name"`
	NUMA      int     `json:"numa,omitempty"`      // the ID of its domain
	Rail      int     `json:"rail,omitempty"`      // ports of one rail, on all hosts, reach each other by switches of that rail
	Bandwidth float64 `json:"bandwidth,omitempty"` // 0 is what its links have
}

// Switch passes messages on between its links.
type Switch struct {
	Name  string `json:"name"`
	Zone  string `json:"zone,omitempty"`
	Level int    `json:"level,omitempty"` // 0 next to hosts; for drawing only
}

// Link joins two ends, each "HOST/NIC" or the name of a switch. It carries Bandwidth in each direction at once.
type Link struct {
	A         string  `json:"a"`
	B         string  `json:"b"`
	Bandwidth float64 `json:"bandwidth"`
	Latency   float64 `json:"latency"`
}
