// Several processes train one model together. Each has its own part of the data; after each step they add up their
// gradients with hcommAllReduce, so that all of them make the same step.
//
//   make demo                                                              builds and runs it with four ranks
//   build/bin/hcomm run -n 4 build/demo/trainer build/demo/loss.svg        the same by hand
//
// The model is logistic regression: it learns to tell two clouds of points apart. At the end the program checks that
// the loss has fallen and that all ranks have the same weights, bit by bit; rank 0 draws how the loss fell.
//
// What hcomm does here is in main() and in the class Job; the rest is arithmetic and drawing.
#include <hcomm.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

const int kFeatures = 20;
const int kWeights = kFeatures + 1;  // and the bias
const int kSamples = 4000;           // of each rank
const int kEpochs = 200;
const float kRate = 0.25f;

// Job is this process's place among the others. Every rank must make the same calls in the same order.
class Job {
 public:
  // Joins the job that "hcomm run" has started; returns when all ranks are there.
  Job() {
    must(hcommCommInitEnv(&comm_));
    must(hcommCommUserRank(comm_, &rank));
    must(hcommCommCount(comm_, &size));
  }

  ~Job() { must(hcommCommDestroy(comm_)); }

  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;

  // Replaces each rank's numbers by op over all ranks' numbers. In place: the input is the output.
  void reduce(std::vector<float> &x, hcommRedOp_t op) { reduce(x.data(), x.size(), hcommFloat32, op); }
  void reduce(std::vector<uint32_t> &x, hcommRedOp_t op) { reduce(x.data(), x.size(), hcommUint32, op); }

  // Replaces each rank's numbers by those of rank root.
  void broadcast(std::vector<float> &x, int root) {
    must(hcommBroadcast(x.data(), x.data(), x.size(), hcommFloat32, root, comm_, nullptr));
  }

  // Returns when all ranks have called it.
  void barrier() { must(hcommBarrier(comm_, nullptr)); }

  int rank = -1, size = 0;  // -1: not known yet

 private:
  // The last argument of each call is a stream; NULL means that the result is there when the call returns.
  void reduce(void *x, size_t count, hcommDataType_t type, hcommRedOp_t op) {
    must(hcommAllReduce(x, x, count, type, op, comm_, nullptr));
  }

  // Nothing here can go on after an error. The others learn of our end from hcomm, at once.
  void must(hcommResult_t result) {
    if (result == hcommSuccess) return;
    const std::string who = rank < 0 ? "" : "rank " + std::to_string(rank) + ": ";
    std::fprintf(stderr, "%s%s: %s\n", who.c_str(), hcommGetErrorString(result), hcommGetLastError(comm_));
    std::exit(1);
  }

  hcommComm_t comm_ = nullptr;
};

// Samples are points of two clouds, and for each whether it is of the first (1) or of the second (0).
struct Samples {
  std::vector<float> x;  // kSamples rows of kFeatures
  std::vector<float> y;

  // Each rank makes other points (the seed is its rank), of the same two clouds.
  explicit Samples(int rank) {
    std::mt19937 random(1000 + rank);
    std::normal_distribution<float> noise;
    for (int i = 0; i < kSamples; i++) {
      bool first = random() % 2;
      y.push_back(first ? 1 : 0);
      for (int j = 0; j < kFeatures; j++) x.push_back(noise(random) + (first ? centre(j) : -centre(j)));
    }
  }

  const float *row(int i) const { return &x[static_cast<size_t>(i) * kFeatures]; }

 private:
  static float centre(int j) { return 0.45f * std::cos(1.3f * static_cast<float>(j)); }
};

// The model's opinion of a point: above 0 for the first cloud, below 0 for the second.
float score(const std::vector<float> &weights, const float *point) {
  float s = weights[kFeatures];
  for (int j = 0; j < kFeatures; j++) s += weights[j] * point[j];
  return s;
}

// What one rank learns from its samples: the sums over them of the gradient, of the loss, and of the points that the
// model gets right. One vector, so that one call adds up all of it.
std::vector<float> learn(const std::vector<float> &weights, const Samples &samples) {
  std::vector<double> sum(kWeights + 2);
  for (int i = 0; i < kSamples; i++) {
    const float *point = samples.row(i);
    double s = score(weights, point), y = samples.y[i];
    double error = 1 / (1 + std::exp(-s)) - y;
    for (int j = 0; j < kFeatures; j++) sum[j] += error * point[j];
    sum[kFeatures] += error;
    sum[kWeights] += std::max(s, 0.0) - s * y + std::log1p(std::exp(-std::fabs(s)));
    sum[kWeights + 1] += (s > 0) == (y > 0.5);
  }
  return std::vector<float>(sum.begin(), sum.end());
}

// Whether all ranks have the same weights: then the smallest and the largest of each word are the same.
bool bit_identical(Job &job, const std::vector<float> &weights) {
  std::vector<uint32_t> low(weights.size());
  std::memcpy(low.data(), weights.data(), weights.size() * sizeof(float));
  std::vector<uint32_t> high = low;
  job.reduce(low, hcommMin);
  job.reduce(high, hcommMax);
  return low == high;
}

// ---------------------------------------------------------------------------------------- the picture ----

std::string text(double x, double y, const std::string &style, const std::string &words) {
  char position[64];
  std::snprintf(position, sizeof position, "<text x=\"%.1f\" y=\"%.1f\" ", x, y);
  return position + style + ">" + words + "</text>\n";
}

std::string number(const char *format, double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

std::string line(double x1, double y1, double x2, double y2, const char *colour) {
  char buffer[160];
  std::snprintf(buffer, sizeof buffer, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
                x1, y1, x2, y2, colour);
  return buffer;
}

// Draws the loss over the epochs as SVG, which each browser shows.
std::string draw(const std::vector<float> &loss, int ranks) {
  const double left = 74, right = 730, top = 84, bottom = 396;
  const double most = std::ceil(*std::max_element(loss.begin(), loss.end()) * 10 + 0.2) / 10;
  const int last = static_cast<int>(loss.size()) - 1;
  auto across = [&](double epoch) { return left + (right - left) * epoch / last; };
  auto up = [&](double value) { return bottom - (bottom - top) * value / most; };

  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 460\" width=\"760\" height=\"460\" "
                    "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\" fill=\"#444\">\n";
  svg += "<rect width=\"760\" height=\"460\" fill=\"white\"/>\n";
  const std::string processes = std::to_string(ranks) + (ranks == 1 ? " process" : " processes");
  svg += text(left, 36, "font-size=\"19\" font-weight=\"bold\" fill=\"#222\"",
              "Loss of a model trained by " + processes);
  svg += text(left, 58, "fill=\"#777\"", "logistic regression, " + std::to_string(ranks * kSamples) +
              " points in " + std::to_string(kFeatures) + " dimensions, gradients summed by hcommAllReduce");

  for (int tenth = 0; tenth <= std::lround(most * 10); tenth++) {
    double y = up(tenth / 10.0);
    svg += line(left, y, right, y, tenth ? "#e4e4e4" : "#888");
    svg += text(left - 10, y + 4.5, "text-anchor=\"end\"", number("%.1f", tenth / 10.0));
  }
  for (int epoch = 0; epoch <= last; epoch += 25) {
    svg += line(across(epoch), bottom, across(epoch), bottom + 6, "#888");
    svg += text(across(epoch), bottom + 22, "text-anchor=\"middle\"", std::to_string(epoch));
  }
  svg += text((left + right) / 2, 442, "text-anchor=\"middle\"", "epoch");
  svg += text(0, 0, "text-anchor=\"middle\" transform=\"translate(24 240) rotate(-90)\"", "mean loss over all ranks");

  svg += "<polyline fill=\"none\" stroke=\"#1f6fb4\" stroke-width=\"2.5\" stroke-linejoin=\"round\" points=\"";
  for (int e = 0; e <= last; e++) svg += number("%.1f,", across(e)) + number("%.1f ", up(loss[e]));
  svg += "\"/>\n";
  for (int e : {0, last}) {
    svg += "<circle r=\"4.5\" fill=\"#1f6fb4\" cx=\"" + number("%.1f", across(e)) + "\" cy=\"" +
           number("%.1f", up(loss[e])) + "\"/>\n";
    const std::string style = "font-weight=\"bold\" fill=\"#1f6fb4\" text-anchor=";
    svg += e == 0 ? text(across(e) + 10, up(loss[e]) + 4, style + "\"start\"", number("%.3f", loss[e]))
                  : text(across(e) - 2, up(loss[e]) - 12, style + "\"end\"", number("%.3f", loss[e]));
  }
  return svg + "</svg>\n";
}

// ---------------------------------------------------------------------------------------- the program ----

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (i == 1 && argv[i][0] != '-') continue;
    std::fprintf(stderr, "usage: trainer [PICTURE.svg]; got \"%s\"\n", argv[i]);
    return 2;
  }
  const std::string picture = argc > 1 ? argv[1] : "loss.svg";
  Job job;
  const Samples samples(job.rank);
  const float total = static_cast<float>(kSamples) * static_cast<float>(job.size);

  // Every rank draws weights of its own to start from; then all of them take rank 0's.
  std::vector<float> weights(kWeights);
  std::mt19937 random(job.rank);
  for (float &w : weights) w = std::normal_distribution<float>(0, 0.02f)(random);
  job.broadcast(weights, 0);

  std::vector<float> loss;  // by epoch
  float accuracy = 0;
  for (int epoch = 0; epoch <= kEpochs; epoch++) {
    std::vector<float> sum = learn(weights, samples);
    job.reduce(sum, hcommSum);  // from here on, sum is the same on all ranks
    loss.push_back(sum[kWeights] / total);
    accuracy = sum[kWeights + 1] / total;
    if (job.rank == 0 && epoch % 40 == 0)
      std::printf("epoch %3d   loss %.3f   %.1f %% right\n", epoch, loss.back(), 100 * accuracy);
    for (int j = 0; j < kWeights && epoch < kEpochs; j++) weights[j] -= kRate * sum[j] / total;
  }

  const bool identical = bit_identical(job, weights);
  const bool fallen = loss.back() < loss.front() / 2;
  bool written = true;
  if (job.rank == 0) {
    std::ofstream file(picture);
    file << draw(loss, job.size);
    file.close();
    written = !file.fail();
  }
  job.barrier();  // nobody reports before the picture is there

  const bool good = identical && fallen && written;
  if (job.rank == 0 && good) {
    std::printf("%d %s, weights bit-identical, loss %.3f -> %.3f, picture: %s\n", job.size,
                job.size == 1 ? "rank" : "ranks", loss.front(), loss.back(), picture.c_str());
  } else if (job.rank == 0) {
    if (!identical) std::fprintf(stderr, "the ranks do not have the same weights\n");
    if (!fallen) std::fprintf(stderr, "the loss has not halved: %.3f -> %.3f\n", loss.front(), loss.back());
    if (!written) std::fprintf(stderr, "cannot write the picture to %s\n", picture.c_str());
  }
  return good ? 0 : 1;
}
