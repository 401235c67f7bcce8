// SPDX-License-Identifier: Apache-2.0

import CFuzz
import Foundation

/// The running target.
nonisolated(unsafe) var current: Target?
/// The number of variants of each input.
nonisolated(unsafe) var variants = 0
/// The number of inputs in the initial corpus. libFuzzer runs them first; their variants were tried when they were
/// found.
nonisolated(unsafe) var known = 0
/// The corpus, the first folder in libFuzzer's arguments.
nonisolated(unsafe) var corpus: String?

/// Runs the program. `Tests/Fuzz/run` calls `fuzz TARGET ARGUMENTS...` with libFuzzer's arguments.
func run() -> Int32 {
    var arguments = CommandLine.arguments
    // For a merge, libFuzzer restarts the program with its own arguments only.
    let environment = ProcessInfo.processInfo.environment
    if arguments.count > 1, arguments[1].hasPrefix("-"), let name = environment[Targets.variable] {
        arguments.insert(name, at: 1)
    }
    guard arguments.count > 1 else {
        print("usage: fuzz --list | --leak | --seeds TARGET FOLDER ROOT | TARGET [libFuzzer's arguments]")
        return 64
    }
    if arguments[1] == "--leak" {
        // Tests whether this machine can detect leaks: this leak must be reported.
        fuzz_leak()
        return 0
    }
    if arguments[1] == "--list" {
        for target in Targets.all {
            print(
                [
                    target.name, target.partOf ?? "-", String(target.maximumLength), target.asserts,
                    String(1 + target.variants),
                ].joined(separator: "\t"))
        }
        return 0
    }
    let isSeeding = arguments[1] == "--seeds" && arguments.count == 5
    guard let target = Targets.all.first(where: { $0.name == (isSeeding ? arguments[2] : arguments[1]) }) else {
        print("unknown target \(arguments[isSeeding ? 2 : 1])")
        return 64
    }
    if isSeeding { return writeSeeds(target, arguments[3], arguments[4]) }
    unsafe current = target
    // A merge measures inputs without their variants.
    if !arguments.contains(where: { $0.hasPrefix("-merge") }) { unsafe variants = target.variants }
    unsafe known = environment[Targets.knownVariable].flatMap { Int($0) } ?? 0
    unsafe corpus = arguments.dropFirst(2).first { !$0.hasPrefix("-") }
    unsafe setenv(Targets.variable, target.name, 1)
    // libFuzzer gets the program's name and its own arguments.
    var kept = unsafe ([arguments[0]] + arguments.dropFirst(2)).map { unsafe strdup($0) }
    var count = unsafe Int32(kept.count)
    return unsafe kept.withUnsafeMutableBufferPointer { buffer in
        var pointer = buffer.baseAddress
        return unsafe LLVMFuzzerRunDriver(&count, &pointer) { data, size in
            guard let target = unsafe current else { return 0 }
            let bytes = unsafe [UInt8](UnsafeBufferPointer(start: data, count: size))
            unsafe Trials.run(bytes, of: target, variants: known > 0 ? 0 : variants, keep: keep)
            if unsafe known > 0 { unsafe known -= 1 }
            return 0
        }
    }
}

/// Adds an input to the corpus, if there is a corpus folder.
func keep(_ input: [UInt8]) {
    guard let folder = unsafe corpus else { return }
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in input { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    _ = FileManager.default.createFile(
        atPath: folder + "/variant-" + String(hash, radix: 16), contents: Data(input))
}

func writeSeeds(_ target: Target, _ folder: String, _ root: String) -> Int32 {
    for (number, seed) in target.seeds(SeedFiles(root: root)).enumerated() {
        let name = folder + "/seed-" + String(number)
        guard FileManager.default.createFile(atPath: name, contents: Data(seed)) else {
            print("cannot write \(name)")
            return 1
        }
    }
    return 0
}

exit(run())
