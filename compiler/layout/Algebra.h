// The layout algebra: every operation that makes layouts of layouts.

#pragma once

#include "compiler/layout/Coalesce.h"
#include "compiler/layout/Composition.h"
#include "compiler/layout/Divide.h"
#include "compiler/layout/Inverse.h"
#include "compiler/layout/Product.h"
