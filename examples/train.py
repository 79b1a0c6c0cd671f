#!/usr/bin/env python3
"""Several processes train one model together. Each has its own part of the data; after each step they add up their
gradients with all_reduce, so that all of them make the same step. trainer.cpp is the same in C++.

    hcomm run -n 4 python3 examples/train.py

Python must find the package hcomm: where it is not installed, PYTHONPATH=python has it, in the source tree.

The model is logistic regression: it learns to tell two clouds of points apart. At the end the program checks that the
loss has fallen and that all ranks have the same weights, bit by bit. With numpy it has more points; without it the
arithmetic is plain Python's, and the numbers are in an array.array. hcomm takes either.
"""

import array
import math
import random
import sys

import hcomm

try:
    import numpy
except ImportError:
    numpy = None

FEATURES = 20
SAMPLES = 4000 if numpy else 200  # of each rank
EPOCHS = 200
RATE = 0.25
CENTRE = [0.45 * math.cos(1.3 * j) for j in range(FEATURES)]


class WithNumpy:
    """A rank's samples: points of two clouds, and for each whether it is of the first (1) or of the second (0)."""

    def __init__(self, seed):
        generator = numpy.random.default_rng(seed)
        self.y = generator.integers(0, 2, SAMPLES).astype(numpy.float32)
        self.x = numpy.ones((SAMPLES, FEATURES + 1), numpy.float32)  # the last is for the bias
        self.x[:, :FEATURES] = generator.normal(numpy.outer(2 * self.y - 1, CENTRE))

    @staticmethod
    def weights(seed):
        return numpy.random.default_rng(seed).normal(0, 0.02, FEATURES + 1).astype(numpy.float32)

    def learn(self, weights):
        """The sums over the samples of the gradient, of the loss, and of the points that the model gets right."""
        score = self.x @ weights
        gradient = (1 / (1 + numpy.exp(-score)) - self.y) @ self.x
        loss = (numpy.logaddexp(0, score) - score * self.y).sum()
        right = ((score > 0) == (self.y > 0.5)).sum()
        return numpy.array([*gradient, loss, right], numpy.float32)

    @staticmethod
    def step(weights, gradient, rate):
        weights -= rate * gradient


class Plain:
    """The same with nothing but Python."""

    def __init__(self, seed):
        generator = random.Random(seed)
        self.y = [generator.randrange(2) for _ in range(SAMPLES)]
        self.x = [[generator.gauss((2 * y - 1) * c, 1) for c in CENTRE] + [1] for y in self.y]

    @staticmethod
    def weights(seed):
        generator = random.Random(seed)
        return array.array("f", [generator.gauss(0, 0.02) for _ in range(FEATURES + 1)])

    def learn(self, weights):
        sums = array.array("f", bytes(4 * (FEATURES + 3)))
        for x, y in zip(self.x, self.y):
            score = sum(map(lambda w, v: w * v, weights, x))
            error = 1 / (1 + math.exp(-score)) - y
            for j, value in enumerate(x):
                sums[j] += error * value
            sums[-2] += max(score, 0) - score * y + math.log1p(math.exp(-abs(score)))
            sums[-1] += (score > 0) == (y > 0.5)
        return sums

    @staticmethod
    def step(weights, gradient, rate):
        for j, slope in enumerate(gradient):
            weights[j] -= rate * slope


def bit_identical(comm, weights):
    """Whether all ranks have the same: then the smallest and the largest of each word are the same."""
    words = memoryview(weights).cast("B").cast("I")
    low, high = array.array("I", words), array.array("I", words)
    comm.all_reduce(low, op="min")
    comm.all_reduce(high, op="max")
    return low == high


def train(comm):
    kind = WithNumpy if numpy else Plain
    samples, total = kind(1000 + comm.rank), SAMPLES * comm.size

    # Every rank draws weights of its own to start from; then all of them take rank 0's.
    weights = kind.weights(comm.rank)
    comm.broadcast(weights, root=0)

    losses = []
    for epoch in range(EPOCHS + 1):
        sums = samples.learn(weights)
        comm.all_reduce(sums)  # from here on, sums is the same on all ranks
        losses.append(float(sums[-2]) / total)
        if comm.rank == 0 and epoch % 40 == 0:
            print(f"epoch {epoch:3}   loss {losses[-1]:.3f}   {100 * float(sums[-1]) / total:.1f} % right", flush=True)
        if epoch < EPOCHS:
            kind.step(weights, sums[: FEATURES + 1], RATE / total)
    return losses, bit_identical(comm, weights)


def main():
    with hcomm.Communicator.from_env() as comm:
        losses, identical = train(comm)
        fallen = losses[-1] < losses[0] / 2
        if comm.rank == 0 and identical and fallen:
            ranks = f"{comm.size} rank{'s'[: comm.size > 1]}{'' if numpy else ' without numpy'}"
            print(f"{ranks}, weights bit-identical, loss {losses[0]:.3f} -> {losses[-1]:.3f}")
        if not identical:
            print("the ranks do not have the same weights", file=sys.stderr)
        if not fallen:
            print(f"the loss has not halved: {losses[0]:.3f} -> {losses[-1]:.3f}", file=sys.stderr)
    return not (identical and fallen)


if __name__ == "__main__":
    sys.exit(main())
