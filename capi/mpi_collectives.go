package main

/*
#include "message.h"
*/
import "C"

import (
	"unsafe"

	"hcomm/engine"
	"hcomm/plan"
	"hcomm/simd"
)

var (
	allreduceForms = forms{"HCOMM_Allreduce", "HCOMM_Iallreduce", "HCOMM_Allreduce_init"}
	bcastForms     = forms{"HCOMM_Bcast", "HCOMM_Ibcast", "HCOMM_Bcast_init"}
	reduceForms    = forms{"HCOMM_Reduce", "HCOMM_Ireduce", "HCOMM_Reduce_init"}
	blockForms     = forms{"HCOMM_Reduce_scatter_block", "HCOMM_Ireduce_scatter_block", "HCOMM_Reduce_scatter_block_init"}
	allgatherForms = forms{"HCOMM_Allgather", "HCOMM_Iallgather", "HCOMM_Allgather_init"}
	alltoallForms  = forms{"HCOMM_Alltoall", "HCOMM_Ialltoall", "HCOMM_Alltoall_init"}
	gatherForms    = forms{"HCOMM_Gather", "HCOMM_Igather", "HCOMM_Gather_init"}
	scatterForms   = forms{"HCOMM_Scatter", "HCOMM_Iscatter", "HCOMM_Scatter_init"}
	barrierForms   = forms{"HCOMM_Barrier", "HCOMM_Ibarrier", "HCOMM_Barrier_init"}
)

var formsOf = [len(plan.Names)]*forms{
	plan.AllReduce: &allreduceForms, plan.Broadcast: &bcastForms, plan.Barrier: &barrierForms, plan.Reduce: &reduceForms,
	plan.AllGather: &allgatherForms, plan.ReduceScatter: &blockForms, plan.AlltoAll: &alltoallForms,
	plan.Gather: &gatherForms, plan.Scatter: &scatterForms,
}

//export goMPIAllreduce
func goMPIAllreduce(sendbuf, recvbuf uintptr, count C.HCOMM_Count, datatype, op, comm uintptr, form *C.struct_form) C.int {
	return made(&allreduceForms, comm, form, func(c *engine.Comm) (d described, err error) {
		t, o, err := reduction(count, datatype, op)
		if err != nil {
			return d, err
		}
		send, recv, err := within("sendbuff", sendbuf, "recvbuff", recvbuf, recvbuf, count)
		d.Work = engine.CollectiveWork(plan.AllReduce, send, recv, uint64(count), t, o, 0)
		return d, err
	})
}

// reduction is the type and the operator of a call that has count elements.
func reduction(count C.HCOMM_Count, datatype, op uintptr) (t simd.Type, o simd.Op, err error) {
	if t, err = element(count, datatype); err == nil {
		o, err = operator(op)
	}
	return t, o, err
}

//export goMPIReduce
func goMPIReduce(sendbuf, recvbuf uintptr, count C.HCOMM_Count, datatype, op uintptr, root C.int, comm uintptr, form *C.struct_form) C.int {
	return made(&reduceForms, comm, form, func(c *engine.Comm) (d described, err error) {
		t, o, err := reduction(count, datatype, op)
		if err != nil {
			return d, err
		}
		var send, recv unsafe.Pointer
		if c.Rank() == int(root) {
			send, recv, err = within("sendbuff", sendbuf, "recvbuff", recvbuf, recvbuf, count)
		} else {
			send, err = address("sendbuff", sendbuf)
		}
		d.Work = engine.CollectiveWork(plan.Reduce, send, recv, uint64(count), t, o, int(root))
		return d, err
	})
}

var recvcountWords = []string{"count is", "recvcount is"}

//export goMPIReduceScatterBlock
func goMPIReduceScatterBlock(sendbuf, recvbuf uintptr, recvcount C.HCOMM_Count, datatype, op, comm uintptr, form *C.struct_form) C.int {
	return made(&blockForms, comm, form, func(c *engine.Comm) (d described, err error) {
		d.words = recvcountWords
		t, o, err := reduction(recvcount, datatype, op)
		if err != nil {
			return d, renamed(err, d.words...)
		}
		send, recv, err := within("sendbuff", sendbuf, "recvbuff", recvbuf, recvbuf, recvcount)
		if err == nil && recvcount > 0 && recvbuf != 0 && recvbuf == ownBlock(c, sendbuf, recvcount, t) {
			err = notSaid("recvbuff", recvbuf)
		}
		if sendbuf == inPlace {
			d.Work = engine.ReduceScatterInFrontWork(recv, uint64(recvcount), t, o)
		} else {
			d.Work = engine.CollectiveWork(plan.ReduceScatter, send, recv, uint64(recvcount), t, o, 0)
		}
		return d, renamed(err, d.words...)
	})
}

//export goMPIBcast
func goMPIBcast(buf uintptr, count C.HCOMM_Count, datatype uintptr, root C.int, comm uintptr, form *C.struct_form) C.int {
	return made(&bcastForms, comm, form, func(c *engine.Comm) (d described, err error) {
		t, err := element(count, datatype)
		if err != nil {
			return d, err
		}
		p, err := buffer("buffer", buf)
		if err == nil && p == nil && count > 0 {
			err = badArgument("buffer", "buffer is NULL, but count is %d: only a count of 0 allows it", count)
		}
		d.Work = engine.CollectiveWork(plan.Broadcast, p, p, uint64(count), t, 0, int(root))
		return d, err
	})
}

//export goMPIAllgather
func goMPIAllgather(sendbuf uintptr, sendcount C.HCOMM_Count, sendtype, recvbuf uintptr, recvcount C.HCOMM_Count, recvtype, comm uintptr, form *C.struct_form) C.int {
	send, recv := side{"send", sendbuf, sendcount, sendtype}, side{"recv", recvbuf, recvcount, recvtype}
	return made(&allgatherForms, comm, form, func(c *engine.Comm) (described, error) {
		from, to, t, err := send.with(recv, c, ownBlock)
		return described{engine.CollectiveWork(plan.AllGather, from, to, uint64(recvcount), t, 0, 0), recvWords}, err
	})
}

//export goMPIAlltoall
func goMPIAlltoall(sendbuf uintptr, sendcount C.HCOMM_Count, sendtype, recvbuf uintptr, recvcount C.HCOMM_Count, recvtype, comm uintptr, form *C.struct_form) C.int {
	send, recv := side{"send", sendbuf, sendcount, sendtype}, side{"recv", recvbuf, recvcount, recvtype}
	return made(&alltoallForms, comm, form, func(c *engine.Comm) (described, error) {
		from, to, t, err := send.with(recv, c, allBlocks)
		return described{engine.CollectiveWork(plan.AlltoAll, from, to, uint64(recvcount), t, 0, 0), recvWords}, err
	})
}

//export goMPIGather
func goMPIGather(sendbuf uintptr, sendcount C.HCOMM_Count, sendtype, recvbuf uintptr, recvcount C.HCOMM_Count, recvtype uintptr, root C.int, comm uintptr, form *C.struct_form) C.int {
	send, recv := side{"send", sendbuf, sendcount, sendtype}, side{"recv", recvbuf, recvcount, recvtype}
	return made(&gatherForms, comm, form, func(c *engine.Comm) (described, error) {
		if c.Rank() == int(root) {
			from, to, t, err := send.with(recv, c, ownBlock)
			return described{engine.CollectiveWork(plan.Gather, from, to, uint64(recvcount), t, 0, int(root)), recvWords}, err
		}
		from, t, err := send.alone()
		return described{engine.CollectiveWork(plan.Gather, from, nil, uint64(sendcount), t, 0, int(root)), sendWords}, err
	})
}

//export goMPIScatter
func goMPIScatter(sendbuf uintptr, sendcount C.HCOMM_Count, sendtype, recvbuf uintptr, recvcount C.HCOMM_Count, recvtype uintptr, root C.int, comm uintptr, form *C.struct_form) C.int {
	send, recv := side{"send", sendbuf, sendcount, sendtype}, side{"recv", recvbuf, recvcount, recvtype}
	return made(&scatterForms, comm, form, func(c *engine.Comm) (described, error) {
		if c.Rank() == int(root) {
			to, from, t, err := recv.with(send, c, ownBlock)
			return described{engine.CollectiveWork(plan.Scatter, from, to, uint64(sendcount), t, 0, int(root)), sendWords}, err
		}
		to, t, err := recv.alone()
		return described{engine.CollectiveWork(plan.Scatter, nil, to, uint64(recvcount), t, 0, int(root)), recvWords}, err
	})
}

//export goMPIBarrier
func goMPIBarrier(comm uintptr, form *C.struct_form) C.int {
	return made(&barrierForms, comm, form, func(*engine.Comm) (described, error) {
		return described{Work: engine.BarrierWork()}, nil
	})
}
