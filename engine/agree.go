package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"hcomm/meet"
	"hcomm/settings"
	"hcomm/tune"
)

// encodeCard completes this rank's card with its table and its settings.
func (a *arrival) encodeCard(k card) ([]byte, error) {
	encoded := a.table.Encode()
	k.Table = sha256.Sum256(encoded)
	if a.rank != 0 { // its table is everyone's
		encoded = nil
	}
	k.Encoded = uint32(len(encoded))
	data, err := binary.Append(nil, binary.LittleEndian, &k)
	if err != nil {
		return nil, errorf(InternalError, "%v", err)
	}
	data = append(append(data, encoded...), encodeSaid(a.values.Said)...)
	if len(data) > meet.MaxData {
		return nil, errorf(InvalidArgument, "HCOMM_ALGO has %d characters, and HCOMM_TUNE_FILE %d, which is too long",
			len(a.values.Algo), len(a.values.TuneFile)).on("bad-setting")
	}
	return data, nil
}

// decodeCard reads a peer's card and checks what will be used of it; table is an encoded one, yet to be checked.
func decodeCard(b []byte) (k card, table []byte, said map[string]string, err error) {
	fixed := binary.Size(&k)
	if len(b) < fixed {
		return k, nil, nil, fmt.Errorf("its card has %d bytes, not %d", len(b), fixed)
	}
	if _, err := binary.Decode(b, binary.LittleEndian, &k); err != nil {
		return k, nil, nil, err
	}
	if k.Protocol != protocol {
		return k, nil, nil, fmt.Errorf("protocol %d, not %d", k.Protocol, protocol)
	}
	b = b[fixed:]
	if k.Encoded > uint32(len(b)) {
		return k, nil, nil, fmt.Errorf("a table of %d bytes in %d", k.Encoded, len(b))
	}
	table, b = b[:k.Encoded], b[k.Encoded:]
	said, err = decodeSaid(b)
	return k, table, said, err
}

// refusing is the protocol of a card that says instead, in words, why its rank cannot take part.
const refusing = 0

// refusalPatience is how long a rank that cannot take part waits for the others in order to tell them.
const refusalPatience = 2 * time.Second

// refuse tells the others of a rank whose settings are wrong, lest they wait for it.
func refuse(job meet.Job, why error) {
	if job.Size == 1 {
		return
	}
	session, err := meet.Join(job, refusalPatience, nil)
	if err != nil {
		return
	}
	defer session.Close()
	data := append(binary.LittleEndian.AppendUint32(nil, refusing), why.Error()...)
	if got, err := session.Exchange(data[:min(len(data), meet.MaxData)], nil); err == nil {
		closeAll(got)
	}
}

// refusal is what a card of a rank that cannot take part says.
func refusal(b []byte) (why string, ok bool) {
	if len(b) < 4 || binary.LittleEndian.Uint32(b) != refusing {
		return "", false
	}
	return string(b[4:]), true
}

// encodeSaid lists settings, a NUL behind each.
func encodeSaid(said map[string]string) []byte {
	var b []byte
	for _, s := range settings.Table {
		if text, ok := said[s.Name]; ok {
			b = append(append(b, s.Name+"="+text...), 0)
		}
	}
	return b
}

func decodeSaid(b []byte) (map[string]string, error) {
	said := map[string]string{}
	for len(b) > 0 {
		line, rest, ok := bytes.Cut(b, []byte{0})
		name, text, assigned := strings.Cut(string(line), "=")
		if !ok || !assigned {
			return nil, fmt.Errorf("a setting that is none: %.80q", line)
		}
		agreed := func(s settings.Setting) bool { return s.Agreed && s.Name == name }
		if !slices.ContainsFunc(settings.Table, agreed) {
			return nil, fmt.Errorf("the unknown setting %.80q", name)
		}
		said[name] = text
		b = rest
	}
	return said, nil
}

// settle makes rank 0's settings, and its table, everyone's. A rank that has set one otherwise is an error, which all ranks
// find alike.
func (a *arrival) settle(encoded []byte) error {
	for _, s := range settings.Table {
		if !s.Agreed {
			continue
		}
		want := settings.Effective(s.Name, a.said[0])
		for q, said := range a.said {
			text, ok := said[s.Name]
			with, same := "", settings.Same(s.Name, text, want)
			if s.Name == "HCOMM_TUNE_FILE" { // a file's name says nothing
				with, same = ", with another table,", a.cards[q].Table == a.cards[0].Table
			}
			if ok && !same {
				return errorf(Mismatch, "%s is %s on rank 0 (host %s, pid %d), but %.200q%s on rank %d (host %s, pid %d): set it alike on all ranks, or on rank 0 only",
					s.Name, quoted(want), a.cards[0].host().name, a.cards[0].PID, text, with, q, a.cards[q].host().name, a.cards[q].PID).on("settings-differ")
			}
		}
	}
	values, err := a.values.Adopt(a.said[0])
	if err == nil {
		a.values = values
		a.rules, err = newRules(values.Algo, values.Deterministic)
	}
	if err == nil && a.rank != 0 {
		a.table, err = tune.Decode(encoded)
	}
	if err != nil {
		return errorf(Mismatch, "rank 0 (pid %d) has settings that this rank cannot use: %v", a.cards[0].PID, err).on("settings-differ")
	}
	a.rules.table, a.rules.crowded = a.table, usable(a.hosts()) < a.size
	return nil
}

func quoted(text string) string {
	if text == "" {
		return "not set"
	}
	return fmt.Sprintf("%.200q", text)
}
