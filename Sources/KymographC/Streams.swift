// SPDX-License-Identifier: Apache-2.0

#if compiler(>=6.3)
    import ArrowStreams
    import FileSystem
    import Kymograph

    extension OpenSnapshot {
        /// Returns a stream of this snapshot. In a forked child every pull is an error.
        func stream(_ fields: [ArrowField], _ next: @escaping () throws -> ArrowBatch?) -> ArrowStream {
            let process = ProcessMark.current
            let metadata = ["kymograph.commit": String(snapshot.sequence), "kymograph.store": storeID]
            return ArrowStream(ArrowSchemaFields(fields, metadata: metadata)) { () throws(ArrowStreamError) in
                do {
                    guard process == .current else {
                        throw StoreError(.forked, "the stream was made before this process was forked; make a new one")
                    }
                    return try next()
                } catch {
                    throw ArrowStreamError(Self.number(error), "\(error)")
                }
            }
        }

        /// The system's number for an error in the middle of a stream.
        private static func number(_ error: any Error) -> Int32 {
            switch (error as? StoreError)?.kind {
            case .invalidArgument, .unknownSeries: ArrowStreamError.invalidArgument
            case .cancelled: ArrowStreamError.cancelled
            default: ArrowStreamError.inputOutput
            }
        }
    }
#endif
