#include "bench/AttentionDecoding.h"

#include "ashlar/error.h"
#include "bench/AttentionOperands.h"

#include <sstream>

namespace ashlar::bench {

namespace {

constexpr double milliseconds = 30;

struct Line {
  AttentionProblem problem{};
  AttentionChoice choice;

  Line(const std::string &text, int64_t smCount) {
    std::istringstream in(text);
    std::string word;
    int64_t together = 0;
    AttentionProblem &p = problem;
    in >> word >> p.d;
    p.latent = word == "decode-latent";
    p.dv = p.d;
    if (p.latent)
      in >> p.dv;
    in >> p.b >> p.hk >> together >> p.sq >> p.sk >> p.page;
    if (!in)
      throw Error(
          "a line is 'decode' and seven numbers, or 'decode-latent' and "
          "eight, not '" +
          text + "'");
    p.h = p.hk * together;
    p.causal = p.sq > 1;
    AttentionConfig &config = choice.config;
    in >> choice.group >> choice.splits >> config.bm >> config.bn >>
        config.stages >> config.warpgroups >> config.queries >> config.ctas >>
        config.apart >> config.eager >> config.cluster >> config.dynamic;
    config.splits = choice.splits > 0;
    if (!in)
      choice = attention_auto(p.form(), p.sizes(), modelOf(smCount));
  }
};

} // namespace

std::string decoding(Device &device, Timer &timer, const std::string &text) {
  const Line line(text, device.sm_count());
  AttentionOperands operands(device, line.problem);
  AttentionLaunch launch(device, operands, line.choice,
                         compileChoice(line.problem, line.choice));
  const Contender ours{"ashlar", [&](Stream &stream) { launch(stream); }};
  operands.forgetResult();
  timer.once(ours);
  const AttentionConfig &c = line.choice.config;
  std::ostringstream out;
  out << operands.error() << ' ' << timer.cold(ours, milliseconds) << ' '
      << timer.hot(ours, milliseconds) << ' ' << line.choice.group << ' '
      << line.choice.splits << ' ' << c.bm << ' ' << c.bn << ' ' << c.stages
      << ' ' << c.warpgroups << ' ' << c.queries << ' ' << c.ctas << ' '
      << c.apart << ' ' << c.eager << ' ' << c.cluster << ' ' << c.dynamic;
  return out.str();
}

} // namespace ashlar::bench
