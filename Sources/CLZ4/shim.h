// SPDX-License-Identifier: Apache-2.0
// CLZ4: the system's LZ4 library (Debian package liblz4-dev), by its module map.
#include <lz4.h>
