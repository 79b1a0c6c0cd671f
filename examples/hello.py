#!/usr/bin/env python3
"""hello.c in Python: each rank brings its number, and all of them get the sum.

    PYTHONPATH=python build/bin/hcomm run -n 4 python3 examples/hello.py
"""

import array

import hcomm

with hcomm.Communicator.from_env() as comm:
    x = array.array("i", [comm.rank])  # or a numpy array, a torch tensor, ...
    comm.all_reduce(x)  # in place
    print(f"I am rank {comm.rank}, and all ranks' numbers add up to {x[0]}")
