#pragma once

#include "ashlar/control.h"
#include "ashlar/shared.h"

#include <initializer_list>

namespace ashlar {

/// One stage of a pipeline, between acquire and commit or wait and release. A
/// variable: a loop carries the stage that is assigned to it, which is then the
/// variable's alone to commit or release.
class Stage : public detail::Variable {
public:
  Stage(const Handle &handle, const Handle &pipeline)
      : Variable(handle), ring(pipeline) {}
  Stage(const Stage &other, SourceLocation where = SourceLocation::current())
      : Variable(other, where), ring(other.ring) {}
  Stage(Stage &&) = default;
  /// Throws where the other is of another pipeline.
  Stage &operator=(const Stage &other);

  template <detail::OneOf<SharedTile, Pipeline, Attempt> T>
  Stage(const T &) : Variable(detail::HandleKind::stage, {}), ring(*this) {
    detail::refuseAsStage<T>();
  }

  /// The pipeline that it is of.
  const detail::Handle &pipeline() const { return ring; }

  /// The tile with this number, counted from 0 as given to `pipeline`.
  SharedTile operator[](detail::Located<int64_t> index) const;

private:
  detail::Handle ring;
};

/// The next stage, if it is ready; `when` asks.
class [[nodiscard]] Attempt {
public:
  Attempt(const detail::Handle &ready, const Stage &stage)
      : ready(ready), stage(stage) {}

  template <std::same_as<bool> T> explicit operator T() const {
    detail::refuseAsBool<detail::Later<Attempt, T>>();
    return false;
  }

private:
  friend void when(const Attempt &, detail::Body<Stage>, SourceLocation);
  friend void when(const Attempt &, detail::Body<Stage>, detail::Body<>,
                   SourceLocation);
  detail::Handle ready;
  Stage stage;
};

/// A ring of stages in shared memory. A producer acquires a stage, writes it
/// and commits it; a consumer waits for it, reads it and releases it.
///
/// A role that alone drains the pipeline may rewrite a stage between wait and
/// release, whether it was filled or committed unwritten: it may store to the
/// stage's tiles or to others in their place (`as`), read them again, and copy
/// them out. Whatever it does with the stage, the next producer sees it empty.
/// Where other roles drain the pipeline too, it fills another one that they
/// drain, and it is the author's business that by what it commits there they
/// learn of what they are to see.
class Pipeline : public detail::Handle {
public:
  explicit Pipeline(const Handle &handle) : Handle(handle) {}
  Pipeline(const Pipeline &) = default;
  Pipeline &operator=(const Pipeline &) = delete;

  template <class T> Stage operator[](const T &) const {
    detail::refuseSubscript<detail::Later<Pipeline, T>>();
    return detail::refused<Stage>();
  }
  template <std::same_as<Stage> T> Stage acquire(const T &) const {
    detail::refuseToChoose<T>();
    return detail::refused<Stage>();
  }
  template <std::same_as<Stage> T> Stage wait(const T &) const {
    detail::refuseToChoose<T>();
    return detail::refused<Stage>();
  }

  /// Waits until the next stage is empty and takes it for writing.
  [[nodiscard]] Stage
  acquire(SourceLocation where = SourceLocation::current()) const;
  /// Takes the next stage for writing if it is empty.
  Attempt try_acquire(SourceLocation where = SourceLocation::current()) const;
  /// The role has written its part of the stage. The stage is full once the
  /// copies into it have landed.
  void commit(const Stage &stage,
              SourceLocation where = SourceLocation::current()) const;
  /// Waits until the next stage is full and takes it for reading.
  [[nodiscard]] Stage
  wait(SourceLocation where = SourceLocation::current()) const;
  /// Takes the next stage for reading if it is full.
  Attempt try_wait(SourceLocation where = SourceLocation::current()) const;
  /// The stage may be refilled once every read that the role has issued is
  /// done, asynchronous mma and copies out of it among them.
  void release(const Stage &stage,
               SourceLocation where = SourceLocation::current()) const;
};

namespace detail {
Pipeline makePipeline(int64_t stages, std::initializer_list<StageTile> tiles,
                      SourceLocation where);
} // namespace detail

/// Declares a pipeline: `pipeline(4, smem(bf16, {128, 64}), ...)`. Throws when
/// it has no stage or no tile.
template <std::same_as<StageTile>... Tiles>
Pipeline pipeline(detail::Located<int64_t> stages, const Tiles &...tiles) {
  return detail::makePipeline(stages.value, {tiles...}, stages.where);
}

/// Runs `then` with the stage if it was ready.
void when(const Attempt &attempt, detail::Body<Stage> then,
          SourceLocation where = SourceLocation::current());
/// Runs `then` with the stage if it was ready, `otherwise` if not.
void when(const Attempt &attempt, detail::Body<Stage> then,
          detail::Body<> otherwise,
          SourceLocation where = SourceLocation::current());

} // namespace ashlar
