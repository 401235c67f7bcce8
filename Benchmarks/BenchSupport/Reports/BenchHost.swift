// SPDX-License-Identifier: Apache-2.0

import CLZ4
import FileSystem
import Kernels

/// What a run was made on and with.
package struct BenchHost: Codable, Sendable, Equatable {
    package var processor: String
    package var cores: Int
    package var memoryBytes: UInt64
    package var kernel: String
    package var system: String
    /// `release` or `debug`.
    package var build: String
    /// The version of Kymograph, as CHANGELOG.md counts them.
    package var version: String?
    /// The Swift compiler.
    package var compiler: String?
    package var lz4: String?
    package var sqlite: String?
    /// The level of the processor that the kernels use: `portable`, `AVX2`, `AVX-512`, `AVX-512 VBMI`.
    package var level: String?

    /// Kept equal to what `kymo --version` prints; a test compares them.
    package static let currentVersion = "0.1.0"

    /// This machine.
    package static func current() -> BenchHost {
        #if DEBUG
            let build = "debug"
        #else
            let build = "release"
        #endif
        return BenchHost(
            processor: Machine.processorModel(), cores: Machine.processorCount(), memoryBytes: Machine.memoryBytes(),
            kernel: Machine.kernel(), system: Machine.operatingSystem(), build: build, version: currentVersion,
            compiler: compilerName, lz4: lz4Version, sqlite: PlainSQLite.libraryVersion,
            level: levelName(Kernel.level))
    }

    /// The level that the kernels use now.
    package static var currentLevel: String { levelName(Kernel.level) }

    /// A level of the kernels in words.
    package static func levelName(_ level: Int) -> String {
        let names = ["portable", "AVX2", "AVX-512", "AVX-512 VBMI"]
        return names.indices.contains(level) ? names[level] : "level \(level)"
    }

    /// A compiler knows only which versions it is not older than.
    private static var compilerName: String {
        #if compiler(>=6.4)
            "Swift 6.4 or later"
        #elseif compiler(>=6.3.1)
            "Swift 6.3.1 or later"
        #elseif compiler(>=6.3)
            "Swift 6.3"
        #else
            "Swift 6.2"
        #endif
    }

    private static var lz4Version: String {
        let number = Int(LZ4_versionNumber())
        return "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
    }

    /// In two or three lines of prose.
    package var text: String {
        var text = "\(processor), \(cores) cores, \(memoryBytes >> 30) GiB, \(system),\n"
        text += "kernel \(kernel), \(build) build"
        if let compiler, let level { text += ", \(compiler), kernels at level \(level)" }
        text += ".\n"
        if let version, let lz4, let sqlite { text += "Kymograph \(version), LZ4 \(lz4), SQLite \(sqlite).\n" }
        return text
    }
}
