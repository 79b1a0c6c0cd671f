/* internal.h: what the C files of libhcomm.so and its Go side know of each other. */
#ifndef HCOMM_INTERNAL_H
#define HCOMM_INTERNAL_H

#include "../include/hcomm.h"

/* There can be this many communicators; a handle is index + generation * MAX_COMMS. */
#define MAX_COMMS 65536

/* By index: the handle whose waiting call is to end. Written by hcommCommAbort before it enters Go. */
extern uint64_t abort_request[MAX_COMMS];

/* By index: the word of shared memory that tells the peers that this rank has left, for the exit of the process. It is
 * removed before its memory goes. */
void add_left_word(size_t index, uint32_t *word);
void remove_left_word(size_t index, uint32_t *word);

/* mend_signal_handlers lets the program's handlers run on the alternate stack. */
void mend_signal_handlers(void);

/* expect_runtime says that Go's runtime is about to start, expect_no_runtime that it is too late for that. */
void expect_runtime(void);
void expect_no_runtime(void);

/* set_error keeps a sentence as the calling thread's last error. */
void set_error(const char *text, size_t length);

/* refuse_fork is 0, or in a forked child a result with its sentence set. */
int refuse_fork(const char *function);
int is_forked(void);

/* The group that the calling thread is in: depth is how many hcommGroupStart have no end yet, number is whose calls Go
 * keeps, 0 if it is 0. Initial-exec, as Go's own: the paths in C look at it before they take a call. */
struct thread_group {
  uint64_t number;
  int depth;
};
extern __thread struct thread_group thread_group __attribute__((tls_model("initial-exec")));

/* keep_group has Go forget the group of a thread that ends within one; 0 if that is not possible. */
int keep_group(void);

/* call_progress calls the function of hcommSetProgress, if there is one. */
int has_progress(void);
void call_progress(void);

/* watch_fork gives the fork handler the descriptors to close: one bit each. */
void watch_fork(uint64_t *descriptors, size_t words);

/* class_name is the name of an error class, "" if it is none; valid until the thread's next call. */
const char *class_name(int class);

/* end_process ends the process at once. */
void end_process(int status);

/* How a call of the MPI-style half is made if it does not wait for its end; NULL stands for one that does. */
struct form {
  int persistent; /* it is begun by HCOMM_Start, otherwise at once */
  uintptr_t info, request;
};

/* What is called in Go gets the user's pointers as numbers: what is none must not look like one to the collector. Results
 * are hcommResult_t, or error classes for the goMPI* ones. */
#define NUMBER(pointer) ((uintptr_t)(pointer))

/* Where a call is to be made. */
struct target {
  uintptr_t comm, stream;
  uint64_t group;
};
#define TARGET(comm, stream) ((struct target){NUMBER(comm), NUMBER(stream), thread_group.number})

#endif
