// Layouts and configurations as text.

#include "ashlar/error.h"
#include "ashlar/gemm.h"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <set>

namespace ashlar {

std::string GemmLayout::str() const {
  std::string text = std::string(a_m_major ? "N" : "T") +
                     (b_n_major ? "T" : "N") + (d_m_major ? "N" : "");
  if (std::min({align_a, align_b, align_d}) < 16)
    text += ":" + std::to_string(align_a) + "," + std::to_string(align_b) +
            "," + std::to_string(align_d);
  return text;
}

GemmLayout GemmLayout::parse(std::string_view text, SourceLocation where) {
  for (int i = 0; i < 8; ++i)
    for (int a : {16, 8, 4, 2, 1})
      for (int b : {16, 8, 4, 2, 1})
        for (int d : {16, 8, 4, 2, 1}) {
          const GemmLayout layout{
              (i & 1) != 0, (i & 2) != 0, (i & 4) != 0, a, b, d};
          if (text == layout.str())
            return layout;
        }
  throw Error({where.file_name(), where.line(), where.column()},
              "'" + std::string(text) + "' is no layout of a GEMM: use TN, " +
                  "NN, TT or NT, with an N behind it where D is stored N×M, " +
                  "and alignments of A, B and D in bytes as in TN:2,16,4");
}

std::string GemmConfig::str() const {
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = number(bm) + "x" + number(bn) + "x" + number(bk);
  text += " s" + number(stages) + " w" + number(warpgroups);
  text += " c" + number(cluster_m) + "x" + number(cluster_n);
  if (split > 1)
    text += " k" + number(split);
  text += (alternating ? " z" : " g") + number(group);
  text += " e" + number(store_columns) + "x" + number(store_buffers);
  if (load_warps > 1)
    text += " l" + number(load_warps) +
            (load_groups > 1 ? "x" + number(load_groups) : "");
  if (kept_a < 16)
    text += " a" + number(kept_a);
  if (kept_b < 16)
    text += " b" + number(kept_b);
  if (prepared_a)
    text += " prepared-a";
  if (prepared_b)
    text += " prepared-b";
  if (transposed_a)
    text += " transposed-a";
  if (transposed_b)
    text += " transposed-b";
  if (edge_parts)
    text += " edge-parts";
  if (bf16_parts)
    text += " bf16-parts";
  if (ping_pong)
    text += " pingpong";
  if (swapped)
    text += " swapped";
  if (stream_k)
    text += " streamk";
  if (early_launch)
    text += " early";
  return text;
}

GemmConfig GemmConfig::parse(std::string_view text, SourceLocation where) {
  GemmConfig config;
  auto refuse = [&](std::string_view word) {
    throw Error(
        {where.file_name(), where.line(), where.column()},
        "'" + std::string(word) + "' in '" + std::string(text) +
            "' is no part of a GEMM configuration: expected something like "
            "'" +
            GemmConfig().str() +
            "' and words of prepared-a, prepared-b, transposed-a, "
            "transposed-b, edge-parts, bf16-parts, pingpong, swapped, streamk "
            "and early");
  };
  auto numbers = [&](std::string_view word, std::string_view digits,
                     std::initializer_list<int64_t *> into) {
    const char *at = digits.data(), *end = at + digits.size();
    for (size_t i = 0; i < into.size(); ++i) {
      if (i && (at == end || *at++ != 'x'))
        refuse(word);
      int64_t &value = **(into.begin() + i);
      const bool isKept = &value == &config.kept_a || &value == &config.kept_b;
      const bool mayBeNone = isKept || &value == &config.store_buffers;
      auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc() || value < !mayBeNone || (isKept && value > 16))
        refuse(word);
      at = next;
    }
    if (at != end)
      refuse(word);
  };
  if (text.find_first_not_of(' ') == std::string_view::npos)
    throw Error({where.file_name(), where.line(), where.column()},
                "the text of a GEMM configuration is empty: expected something "
                "like '" +
                    GemmConfig().str() + "'");
  std::set<std::string_view> seen;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word.empty())
      continue;
    const std::string_view kind =
        word.substr(0, word.find_first_of("0123456789"));
    if (!seen.insert(kind == "z" ? "g" : kind).second)
      throw Error({where.file_name(), where.line(), where.column()},
                  "'" + std::string(word) + "' in '" + std::string(text) +
                      "' is the second of its kind: leave one of them");
    std::string_view digits = word.substr(1);
    if (word == "prepared-a")
      config.prepared_a = true;
    else if (word == "prepared-b")
      config.prepared_b = true;
    else if (word == "transposed-a")
      config.transposed_a = true;
    else if (word == "transposed-b")
      config.transposed_b = true;
    else if (word == "edge-parts")
      config.edge_parts = true;
    else if (word == "bf16-parts")
      config.bf16_parts = true;
    else if (word == "pingpong")
      config.ping_pong = true;
    else if (word == "swapped")
      config.swapped = true;
    else if (word == "streamk")
      config.stream_k = true;
    else if (word == "early")
      config.early_launch = true;
    else if (word[0] == 's')
      numbers(word, digits, {&config.stages});
    else if (word[0] == 'w')
      numbers(word, digits, {&config.warpgroups});
    else if (word[0] == 'c')
      numbers(word, digits, {&config.cluster_m, &config.cluster_n});
    else if (word[0] == 'l')
      digits.find('x') != std::string_view::npos
          ? numbers(word, digits, {&config.load_warps, &config.load_groups})
          : numbers(word, digits, {&config.load_warps});
    else if (word[0] == 'k')
      numbers(word, digits, {&config.split});
    else if (word[0] == 'g' || word[0] == 'z') {
      numbers(word, digits, {&config.group});
      config.alternating = word[0] == 'z';
    } else if (word[0] == 'a')
      numbers(word, digits, {&config.kept_a});
    else if (word[0] == 'b')
      numbers(word, digits, {&config.kept_b});
    else if (word[0] == 'e')
      numbers(word, digits, {&config.store_columns, &config.store_buffers});
    else
      numbers(word, word, {&config.bm, &config.bn, &config.bk});
  }
  return config;
}

std::ostream &operator<<(std::ostream &out, const GemmConfig &config) {
  return out << config.str();
}

} // namespace ashlar
