/* One rank of a story. It reads commands from its standard input, a line each, and writes what became of them:
 *
 *   1 allreduce float32 1000 sum on A     the number of the thread that shall do it, and what
 *   1 success                             what that thread got; or: 1 hcommMismatch: the sentence
 *
 * A communicator is called by a name; without "on", by none. It is made by "init" from the environment, by "init on A ID"
 * from an id in hexadecimal digits, which "id" makes. Buffers hold zeros. The end of the input is a return from main.
 */
#define _POSIX_C_SOURCE 200809L
#include <hcomm.h>

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 512, COMMUNICATORS = 8, THREADS = 4 };

static void fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("actor: ", stderr);
  vfprintf(stderr, format, args);
  fputs("\n", stderr);
  _exit(3);
}

static int number_from_environment(const char *name) {
  const char *value = getenv(name);
  if (!value) fail("%s is not set", name);
  return atoi(value);
}

/* ---- words ---- */

struct word {
  const char *text;
  int code;
};

#define END_OF_WORDS {NULL, 0}

static const struct word types[] = {
    {"int8", hcommInt8},       {"uint8", hcommUint8},     {"int16", hcommInt16},       {"uint16", hcommUint16},
    {"int32", hcommInt32},     {"uint32", hcommUint32},   {"int64", hcommInt64},       {"uint64", hcommUint64},
    {"float16", hcommFloat16}, {"float32", hcommFloat32}, {"float64", hcommFloat64},   {"bfloat16", hcommBfloat16},
    END_OF_WORDS,
};

static const struct word operators[] = {
    {"sum", hcommSum}, {"prod", hcommProd}, {"max", hcommMax}, {"min", hcommMin}, {"avg", hcommAvg}, END_OF_WORDS,
};

static const struct word results[] = {
    {"success", hcommSuccess},
    {"hcommSystemError", hcommSystemError},
    {"hcommInternalError", hcommInternalError},
    {"hcommInvalidArgument", hcommInvalidArgument},
    {"hcommInvalidUsage", hcommInvalidUsage},
    {"hcommRemoteError", hcommRemoteError},
    {"hcommInProgress", hcommInProgress},
    {"hcommTimeout", hcommTimeout},
    {"hcommMismatch", hcommMismatch},
    END_OF_WORDS,
};

static int code_of(const struct word *words, const char *text) {
  for (; words->text; words++)
    if (!strcmp(words->text, text)) return words->code;
  fail("what is %s?", text);
  return 0;
}

static void answer(int thread, hcommResult_t result) {
  const struct word *w = results;
  while (w->text && w->code != (int)result) w++;
  if (result == hcommSuccess)
    printf("%d %s\n", thread, w->text);
  else if (w->text)
    printf("%d %s: %s\n", thread, w->text, hcommGetLastError(NULL));
  else
    printf("%d result %d: %s\n", thread, (int)result, hcommGetLastError(NULL));
}

/* ---- communicators by name ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  char name[LINE];
  hcommComm_t comm;
  int made;
} communicators[COMMUNICATORS];

/* place finds where the communicator of a name is kept; it stays there when it has been destroyed. */
static hcommComm_t *place(const char *name, int make) {
  hcommComm_t *found = NULL;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < COMMUNICATORS && !found; i++) {
    if (!communicators[i].made && make) {
      snprintf(communicators[i].name, LINE, "%s", name);
      communicators[i].made = 1;
    }
    if (communicators[i].made && !strcmp(communicators[i].name, name)) found = &communicators[i].comm;
  }
  pthread_mutex_unlock(&lock);
  if (!found) fail("there is no communicator \"%s\"", name);
  return found;
}

/* ---- commands ---- */

struct call {
  size_t count;
  hcommDataType_t type;
  hcommRedOp_t op;
  int number; /* root, peer, or status */
  const char *name, *id;
  hcommComm_t comm;
  void *send, *recv;
};

static hcommResult_t init(struct call *c) {
  hcommUniqueId id;
  if (!c->id) return hcommCommInitEnv(place(c->name, 1));
  for (size_t i = 0; i < sizeof id; i++) {
    unsigned byte;
    if (sscanf(c->id + 2 * i, "%2x", &byte) != 1) fail("the id has %zu bytes only", i);
    id.internal[i] = (char)byte;
  }
  return hcommCommInitRank(place(c->name, 1), number_from_environment("HCOMM_SIZE"), id, number_from_environment("HCOMM_RANK"));
}

static hcommResult_t destroy(struct call *c) { return hcommCommDestroy(c->comm); }
static hcommResult_t end_all(struct call *c) { return hcommCommAbort(c->comm); }
static hcommResult_t barrier(struct call *c) { return hcommBarrier(c->comm, NULL); }
static hcommResult_t allreduce(struct call *c) { return hcommAllReduce(c->send, c->recv, c->count, c->type, c->op, c->comm, NULL); }
static hcommResult_t broadcast(struct call *c) { return hcommBroadcast(c->send, c->recv, c->count, c->type, c->number, c->comm, NULL); }
static hcommResult_t reduce(struct call *c) { return hcommReduce(c->send, c->recv, c->count, c->type, c->op, c->number, c->comm, NULL); }
static hcommResult_t allgather(struct call *c) { return hcommAllGather(c->send, c->recv, c->count, c->type, c->comm, NULL); }
static hcommResult_t reducescatter(struct call *c) { return hcommReduceScatter(c->send, c->recv, c->count, c->type, c->op, c->comm, NULL); }
static hcommResult_t alltoall(struct call *c) { return hcommAlltoAll(c->send, c->recv, c->count, c->type, c->comm, NULL); }
static hcommResult_t gather(struct call *c) { return hcommGather(c->send, c->recv, c->count, c->type, c->number, c->comm, NULL); }
static hcommResult_t scatter(struct call *c) { return hcommScatter(c->send, c->recv, c->count, c->type, c->number, c->comm, NULL); }
static hcommResult_t send_to(struct call *c) { return hcommSend(c->send, c->count, c->type, c->number, c->comm, NULL); }
static hcommResult_t recv_from(struct call *c) { return hcommRecv(c->recv, c->count, c->type, c->number, c->comm, NULL); }

static hcommResult_t leave(struct call *c) {
  exit(c->number);
  return hcommSuccess;
}

static hcommResult_t leave_at_once(struct call *c) {
  _exit(c->number);
  return hcommSuccess;
}

static const struct command {
  const char *verb;
  const char *arguments; /* t: type, c: count, o: operator, n: number */
  int on;                /* needs a communicator */
  hcommResult_t (*make)(struct call *);
} commands[] = {
    {"init", "", 0, init},
    {"destroy", "", 1, destroy},
    {"abort", "", 1, end_all},
    {"barrier", "", 1, barrier},
    {"allreduce", "tco", 1, allreduce},
    {"broadcast", "tcn", 1, broadcast},
    {"reduce", "tcon", 1, reduce},
    {"allgather", "tc", 1, allgather},
    {"reducescatter", "tco", 1, reducescatter},
    {"alltoall", "tc", 1, alltoall},
    {"gather", "tcn", 1, gather},
    {"scatter", "tcn", 1, scatter},
    {"send", "tcn", 1, send_to},
    {"recv", "tcn", 1, recv_from},
    {"exit", "n", 0, leave},
    {"_exit", "n", 0, leave_at_once},
};

static const struct command *command_of(const char *verb) {
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(commands[i].verb, verb)) return &commands[i];
  fail("what is %s?", verb);
  return NULL;
}

static char *next_word(char **rest) {
  char *w = strtok_r(NULL, " ", rest);
  if (!w) fail("the command is too short");
  return w;
}

/* parse reads what follows the verb. */
static struct call parse(const struct command *command, char **rest) {
  struct call c = {.name = ""};
  char *word;
  for (const char *a = command->arguments; *a; a++) {
    word = next_word(rest);
    switch (*a) {
    case 't': c.type = (hcommDataType_t)code_of(types, word); break;
    case 'c': c.count = (size_t)strtoull(word, NULL, 10); break;
    case 'o': c.op = (hcommRedOp_t)code_of(operators, word); break;
    default: c.number = atoi(word);
    }
  }
  if ((word = strtok_r(NULL, " ", rest)) != NULL) {
    if (strcmp(word, "on")) fail("%s has fewer arguments", command->verb);
    c.name = next_word(rest);
    c.id = strtok_r(NULL, " ", rest);
  }
  if (command->on) c.comm = *place(c.name, 0);
  return c;
}

static void make_id(int thread) {
  hcommUniqueId id;
  if (hcommGetUniqueId(&id) != hcommSuccess) fail("%s", hcommGetLastError(NULL));
  char digits[2 * sizeof id + 1];
  for (size_t i = 0; i < sizeof id; i++) sprintf(digits + 2 * i, "%02x", (unsigned char)id.internal[i]);
  printf("%d %s\n", thread, digits);
}

/* obey returns 0 for a command to return from main. */
static int obey(int thread, char *line) {
  char *rest, *verb = strtok_r(line, " \n", &rest);
  if (!verb) fail("a line without a command");
  rest[strcspn(rest, "\n")] = 0;
  if (!strcmp(verb, "return")) return 0;
  if (!strcmp(verb, "id")) {
    make_id(thread);
    return 1;
  }
  const struct command *command = command_of(verb);
  struct call c = parse(command, &rest);
  size_t bytes = (c.count + 1) * 8 * (size_t)number_from_environment("HCOMM_SIZE");
  c.send = calloc(1, bytes), c.recv = calloc(1, bytes);
  if (!c.send || !c.recv) fail("no memory for %zu elements", c.count);
  answer(thread, command->make(&c));
  free(c.send), free(c.recv);
  return 1;
}

/* ---- threads: the reader of the standard input gives each its lines through a pipe ---- */

static struct thread {
  int number;
  FILE *lines; /* for the thread */
  int to;      /* for the reader */
} threads[THREADS];

static void *perform(void *thread) {
  struct thread *t = thread;
  char line[LINE];
  while (fgets(line, sizeof line, t->lines) && obey(t->number, line)) continue;
  return NULL;
}

static void open_thread(int number) {
  int ends[2];
  struct thread *t = &threads[number - 1];
  if (pipe(ends) || !(t->lines = fdopen(ends[0], "r"))) fail("no pipe");
  t->number = number, t->to = ends[1];
}

static void *read_commands(void *unused) {
  char line[LINE];
  pthread_t id;
  (void)unused;
  while (fgets(line, sizeof line, stdin)) {
    char *command;
    long number = strtol(line, &command, 10);
    if (number < 1 || number > THREADS) fail("thread %ld: there are 1 to %d", number, THREADS);
    struct thread *t = &threads[number - 1];
    if (!t->lines) {
      open_thread((int)number);
      if (pthread_create(&id, NULL, perform, t)) fail("no thread");
    }
    size_t length = strlen(command);
    if (write(t->to, command, length) != (ssize_t)length) fail("thread %ld takes no commands", number);
  }
  close(threads[0].to);
  return NULL;
}

/* The first thread is the one of main, so that its "return" is one from main. */
int main(void) {
  pthread_t id;
  setvbuf(stdout, NULL, _IOLBF, 0);
  open_thread(1);
  if (pthread_create(&id, NULL, read_commands, NULL)) fail("no thread");
  perform(&threads[0]);
  return 0;
}
