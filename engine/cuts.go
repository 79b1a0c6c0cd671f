package engine

import "hcomm/plan"

// cut says from which size of a block on an operation is cut in large slices, and from which size of all blocks together
// its messages are read where their senders have them.
type cut struct{ large, remote uint64 }

const never = 1 << 63

// cuts are those of each collective. All ranks must have the same.
type cuts [len(plan.Names)]cut

// uncut is for ranks that have a processor each. There large slices gain nothing. Nor does reading the other's memory, in
// pages of 4 KiB: for each the kernel takes 0.3 us where the processors share a cache, as long as two copies through slots
// take, and 0.6 where they share none (1 MiB each way at once: 78 and 150 us; through slots 70 and 85).
var uncut = func() *cuts {
	var all cuts
	for k := range all {
		all[k] = cut{never, never}
	}
	return &all
}()

// crowded is for ranks that take turns on processors. There it counts how far each comes in its turn.
//
// In us, with slices of 64 KiB, with large ones, and with remote messages in large ones (2 processors, AMD EPYC of family
// 25, Linux 6.18, malloc; medians taken in turns, which differ by a third from one minute to the next, 2026-11):
//
//	                   128 KiB              512 KiB              2 MiB
//	alltoall, 4        190    166    199    1140   740    860    5900   4960   4440
//	alltoall, 8        1350   580   1000    5700   4400   3400   17800  16200  13000
//	allgather, 4       90     250    230    530    440    760    3500   3210   3340
//	allgather, 8       700    760   1020    2800   1860   3300   11140  9250   11070
//	broadcast, 8       97     120    264    590    440    1000   2680   2560   2840
//	reducescatter, 4   220    530    350    2060   960    760    6060   4800   4500
//	allreduce, 4       209    380    220    320    490    580    1600   1080   1980
//
// A broadcast later, once Go's monitor took no more turns (capi/monitor.c), of 128 and 256 KiB: among 4 ranks 17 and 29 us
// with slices of 64 KiB, 7 and 17 with large ones; among 8 ranks 29 and 58, and 19 and 53.
var crowded = func() *cuts {
	all := *uncut
	all[plan.AllReduce].large = 2 << 20
	all[plan.Broadcast].large = 128 << 10
	all[plan.AllGather].large = 512 << 10
	all[plan.ReduceScatter].large = 512 << 10
	all[plan.AlltoAll].large = 128 << 10
	return &all
}()

// overcrowded is for so many ranks that a slot is not there for each: then a sender would wait for its readers' turns, and
// has them read its memory, in an alltoall of more than a cache holds. In a later state, large slices without and with
// remote messages: of 512 KiB among 4 ranks 434 and 466 us, of 2 MiB 3517 and 4202; among 8 ranks 4011 and 3159, 15380 and
// 14650.
var overcrowded = func() *cuts {
	all := *crowded
	all[plan.AlltoAll].remote = 4 << 20
	return &all
}()

const manyRanks = 5

// cutsFor are those of so many ranks that take turns, or do not.
func cutsFor(ranks int, turns bool) *cuts {
	switch {
	case turns && ranks >= manyRanks:
		return overcrowded
	case turns:
		return crowded
	}
	return uncut
}
