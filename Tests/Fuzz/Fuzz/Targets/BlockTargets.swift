// SPDX-License-Identifier: Apache-2.0

import Bytes
import ColumnCodec
import Kernels

@testable import ChunkFormat

enum BlockTargets {
    static let all = [
        Target(
            name: "block", maximumLength: 4096, variants: 31,
            asserts: "every level and any choice of columns gives the samples of the naive decoder, or both refuse",
            seeds: { files in
                files.units(.block).map(\.bytes).filter { $0.count < 4000 } + BlockSeeds.blocks
            },
            run: { trials in
                var checker = BlockChecker()
                while let bytes = trials.next() {
                    checker.check(
                        Checksums.block(bytes, Checksums.identity()), isInput: trials.isInput, choice: trials.choice)
                }
            }),
        Target(
            name: "block-round-trip", maximumLength: 4096, variants: 7,
            asserts: "a block of any samples is refused or decoded to the same bits, also by the naive decoder",
            seeds: { _ in BlockSeeds.samples }, run: roundTrip),
    ]

    // MARK: Round trip

    private static func roundTrip(_ trials: Trials) {
        var checker = BlockChecker()
        while let bytes = trials.next() {
            var input = Input(bytes)
            var encoder = BlockEncoder()
            var isSecond = false
            repeat {
                roundTrip(BlockSeeds.buffer(&input), &encoder, &checker, trials)
                if isSecond { break }
                isSecond = true
            } while !input.isEmpty
        }
    }

    private static func roundTrip(
        _ buffer: BlockBuffer, _ encoder: inout BlockEncoder, _ checker: inout BlockChecker, _ trials: Trials
    ) {
        var writer = ByteWriter()
        var isRefused = false
        do { _ = try encoder.encode(buffer, identity: Checksums.identity(), into: &writer) } catch {
            require(error.kind == .misuse && writer.count == 0, "refused with \(error)")
            isRefused = true
        }
        let given = NaiveBlock(buffer)
        let sound =
            zip(given.starts, given.starts.dropFirst()).allSatisfy { $0 <= $1 }
            && zip(given.starts, given.ends).allSatisfy { $0 <= $1 }
            && given.values.allSatisfy { Double(bitPattern: $0).isFinite }
            && (given.sides[3] == nil) == (given.sides[4] == nil)
        require(sound == !isRefused, "valid: \(sound), refused: \(isRefused)")
        if isRefused { return }
        if trials.isInput {
            let naive = try? NaiveBlock(writer.bytes, series: Checksums.series)
            require(naive == given, "the naive decoder gives different samples")
        }
        checker.check(writer.bytes, worth: .success(given), isInput: trials.isInput, choice: trials.choice)
    }
}
