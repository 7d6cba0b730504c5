#include "bench/AttentionProblem.h"

#include "ashlar/error.h"

#include <charconv>
#include <map>
#include <sstream>

namespace ashlar::bench {

namespace {

constexpr int64_t tokens = 16384, hidden = 2048;

[[noreturn]] void refuse(const std::string &text, const std::string &why) {
  throw Error("'" + text + "' is no problem of attention: " + why +
              "; write such as '" +
              str(AttentionProblem{1, 128, 128, 4, 32, 8, 4096, 4096}) + "'");
}

/// A word is letters and a number.
std::pair<std::string, int64_t> split(const std::string &text,
                                      const std::string &word) {
  const size_t letters = word.find_first_of("0123456789");
  int64_t number = 0;
  const char *end = word.data() + word.size();
  if (letters == std::string::npos)
    refuse(text, "it has the word '" + word + "'");
  const auto [at, error] = std::from_chars(word.data() + letters, end, number);
  if (error != std::errc() || at != end || number < 1 || number > 1 << 30)
    refuse(text, "'" + word + "' does not end in a number from 1 to 2^30");
  return {word.substr(0, letters), number};
}

AttentionProblem prefill(int64_t d, bool causal, int64_t length) {
  const int64_t heads = hidden / d;
  return {causal, d, d, tokens / length, heads, heads, length, length};
}

AttentionProblem decoding(int64_t b, int64_t hk, int64_t queries,
                          int64_t keys) {
  return {queries > 1, 128, 128, b, 8 * hk, hk, queries, keys, bf16, 16};
}

} // namespace

double AttentionProblem::operations() const {
  double keys = 0;
  for (int64_t row = 0; row < sq; ++row)
    keys += double(keysOf(row));
  return 2 * double(b * h) * keys * double(d + dv);
}

double AttentionProblem::bytes() const {
  return double(b) * double(hk * sk * (latent ? d : d + dv) * size_bytes(type) +
                            h * sq * (d * size_bytes(type) + 2 * dv));
}

std::string str(const AttentionProblem &p) {
  std::ostringstream text;
  if (p.type != bf16)
    text << name(p.type) << ' ';
  text << 'd' << p.d;
  if (p.dv != p.d)
    text << " dv" << p.dv;
  if (p.latent)
    text << " latent";
  if (p.causal)
    text << " causal";
  text << " b" << p.b << " h" << p.h;
  if (p.hk != p.h)
    text << " hk" << p.hk;
  text << " q" << p.sq << " k" << p.sk;
  if (p.page)
    text << " page" << p.page;
  if (p.threshold)
    text << " rescale" << p.threshold;
  return text.str();
}

AttentionProblem parseAttention(const std::string &text) {
  AttentionProblem p{0, 128, 0, 1, 1, 0, 0, 0};
  const std::map<std::string, int64_t *> numbers{
      {"d", &p.d},  {"dv", &p.dv},     {"b", &p.b},
      {"h", &p.h},  {"hk", &p.hk},     {"q", &p.sq},
      {"k", &p.sk}, {"page", &p.page}, {"rescale", &p.threshold}};
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "causal") {
      p.causal = 1;
    } else if (word == "latent") {
      p.latent = true;
    } else if (word == "bf16" || word == "f16" || word == "e4m3") {
      p.type = word == "bf16" ? bf16 : word == "f16" ? f16 : e4m3;
    } else {
      const auto [key, number] = split(text, word);
      const auto found = numbers.find(key);
      if (found == numbers.end())
        refuse(text, "it has the word '" + word + "'");
      *found->second = number;
    }
  }
  if (!p.sq && !p.sk)
    refuse(text, "it says neither queries (q) nor keys (k)");
  p.dv = p.dv ? p.dv : p.d;
  p.hk = p.hk ? p.hk : p.h;
  p.sq = p.sq ? p.sq : p.sk;
  p.sk = p.sk ? p.sk : p.sq;
  if (p.h % p.hk)
    refuse(text, "its heads (h) are no multiple of those of the keys (hk)");
  return p;
}

std::vector<AttentionProblem> namedAttention() {
  std::vector<AttentionProblem> all;
  for (int64_t d : {64, 128, 256})
    for (bool causal : {false, true})
      for (int64_t length : {1024, 4096, 16384})
        all.push_back(prefill(d, causal, length));
  for (bool causal : {false, true})
    for (int64_t length : {4096, 16384})
      all.push_back({causal, 128, 128, 2, 64, 8, length, length});
  all.push_back(decoding(1, 8, 1, 8192));
  all.push_back(decoding(8, 8, 1, 8192));
  all.push_back(decoding(32, 8, 1, 8192));
  all.push_back(decoding(128, 8, 1, 32768));
  all.push_back(decoding(8, 8, 8, 8192));
  all.push_back(decoding(1, 2, 256, 32768));
  return all;
}

} // namespace ashlar::bench
