// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Synchronization

// Pieces are cut in order, encoded in parallel, and written in order. The thread that encoded the next piece writes it,
// and all encoded pieces after it; no thread waits for another thread's write.
extension SegmentWriter {
    /// Encodes and writes all pieces of the planner.
    func encode(
        _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>, threads: Int
    ) throws(StoreError) {
        // A thread that is far ahead of the next piece waits, so that memory stays bounded.
        let permits = Permits(2 * threads)
        try Parallel.forEach(threads, threads: threads) { _ throws(StoreError) in
            do throws(StoreError) {
                permits.take()
                while let work = try takePiece(starts, ends, values) {
                    // On one thread the offset is known, and the checksums need no correction.
                    let batch = Result { () throws(StoreError) in
                        try inFormat(path) { () throws(FormatError) in
                            try work.encoder.encode(
                                work.piece, starts, ends, values, position: threads == 1 ? bytes : 0,
                                memory: work.memory)
                        }
                    }
                    try write(piece: work.piece, batch, work.encoder, permits)
                    permits.take()
                }
                permits.give()
            } catch {
                // Wakes the threads that wait for a permit, so that they see the failure.
                permits.give(back: threads)
                throw error
            }
        }
    }

    /// Returns the next piece, an encoder for it, and memory for its bytes.
    private func takePiece(
        _ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>
    ) throws(StoreError) -> (piece: SegmentPiece, encoder: PieceEncoder, memory: [UInt8])? {
        try planner.withLock { planner throws(StoreError) -> (SegmentPiece, PieceEncoder, [UInt8])? in
            guard let piece = planner.next(starts, ends, values) else { return nil }
            return try line.withLock { line throws(StoreError) -> (SegmentPiece, PieceEncoder, [UInt8]) in
                if let failure = line.failure { throw failure }
                let encoder = piece.continues ? line.open.take() : line.encoders.popLast()
                return (piece, encoder ?? newEncoder(), line.memory.popLast() ?? [])
            }
        }
    }

    private func newEncoder() -> PieceEncoder {
        PieceEncoder(store: store, segment: uuid, isEncrypted: isEncrypted)
    }

    /// Queues an encoded piece, and writes the next pieces unless another thread does.
    private func write(
        piece: SegmentPiece, _ batch: consuming Result<BlockBatch, StoreError>, _ encoder: PieceEncoder,
        _ permits: Permits
    ) throws(StoreError) {
        var next = line.withLock { line in
            if piece.isOpen { line.open = encoder } else { line.encoders.append(encoder) }
            line.waiting[piece.number] = batch
            return line.isWriting ? nil : line.start()
        }
        while let result = next.take() {
            do throws(StoreError) {
                var batch = try result.get()
                try sink.withLock { sink throws(StoreError) in try sink.append(&batch) }
                permits.give()
                next = line.withLock { line in
                    line.memory.append(batch.bytes)
                    line.isWriting = false
                    return line.start()
                }
            } catch {
                // Nothing is written after a missing piece.
                line.withLock { $0.failure = error }
                throw error
            }
        }
    }
}

extension SegmentWriter.Line {
    /// Removes and returns the next piece, if it is encoded.
    mutating func start() -> Result<BlockBatch, StoreError>? {
        guard let batch = waiting.removeValue(forKey: next) else { return nil }
        next += 1
        isWriting = true
        return batch
    }
}
