package simgrid

import (
	"bufio"
	"encoding/xml"
	"math"
	"strconv"
	"strings"
)

// speed is what every host computes in a second: an instruction takes a nanosecond.
const speed = 1e9

// unlimited is the bandwidth of what has no limit: the longest message takes a nanosecond.
const unlimited = 1e18

// platform writes the hosts, one for each process, the links that they use, and the routes over these.
func (w *wiring) platform(b *bufio.Writer) error {
	line(b, `<?xml version="1.0"?>`)
	line(b, `<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">`)
	line(b, `<!-- %s -->`, strings.ReplaceAll(escape(w.about()), "--", "- -")) // two dashes would end the comment
	line(b, `<platform version="4.1">`)
	line(b, `<zone id="%s" routing="Full">`, escape("hcomm "+w.Network.Name))
	for p := range w.ranks {
		line(b, `<host id="%s" speed="1Gf"><prop id="at" value="%s"/></host>`, w.rankHost(p), escape(w.place(p)))
	}
	for _, x := range w.all {
		line(b, `<host id="%s" speed="1Gf"/>`, w.wireHost(x))
	}
	w.links(b)
	for i, x := range w.all {
		from, to, at := w.rankHost(w.process(x.lane, x.from)), w.rankHost(w.process(x.lane, x.to)), w.wireHost(x)
		line(b, `<route src="%s" dst="%s" symmetrical="NO">`, from, at)
		for _, l := range x.route {
			line(b, `<link_ctn id="link%d"/>`, l)
		}
		line(b, `</route>`)
		line(b, `<route src="%s" dst="%s" symmetrical="NO"><link_ctn id="delay%d"/></route>`, at, to, i)
	}
	line(b, `</zone>`)
	return line(b, `</platform>`)
}

// links writes the topology's that are used, without their latencies, and the delays of the wires.
func (w *wiring) links(b *bufio.Writer) {
	used := make([]bool, len(w.Network.Links))
	for _, x := range w.all {
		for _, l := range x.route {
			used[l] = true
		}
	}
	for i, l := range w.Network.Links {
		if !used[i] {
			continue
		}
		policy := "SHARED"
		if math.IsInf(l.Bandwidth, 1) {
			policy = "FATPIPE"
		}
		line(b, `<link id="link%d" bandwidth="%sBps" latency="0s" sharing_policy="%s"><prop id="name" value="%s"/></link>`,
			i, number(min(l.Bandwidth, unlimited)), policy, escape(l.From+" to "+l.To))
	}
	for i, x := range w.all {
		latency := 0.0
		for _, l := range x.route {
			latency += w.Network.Links[l].Latency
		}
		line(b, `<link id="delay%d" bandwidth="%sBps" latency="%ss" sharing_policy="FATPIPE"/>`, i, number(unlimited), number(latency))
	}
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder's writes succeed
	return b.String()
}
