// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    import CKymograph

    /// Described in `kymograph.h`.
    @c @implementation
    public func kymo_live_batches() -> Int64 { ArrowBatch.live }
#endif
