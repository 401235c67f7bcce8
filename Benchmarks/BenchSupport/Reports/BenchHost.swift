// SPDX-License-Identifier: Apache-2.0

import CLZ4
import FileSystem
import Kernels

/// The machine and the versions of a run.
package struct BenchHost: Codable, Sendable, Equatable {
    package var processor: String
    package var cores: Int
    package var memoryBytes: UInt64
    package var kernel: String
    package var system: String
    /// `release` or `debug`.
    package var build: String
    /// The version of Kymograph, as in CHANGELOG.md.
    package var version: String?
    /// The Swift compiler.
    package var compiler: String?
    package var lz4: String?
    package var sqlite: String?
    /// The processor level of the kernels: `portable`, `AVX2`, `AVX-512`, `AVX-512 VBMI`.
    package var level: String?

    /// The version; a test compares it with `kymo --version`.
    package static let currentVersion = "0.1.0"

    /// Returns the description of this machine.
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

    /// The current level of the kernels.
    package static var currentLevel: String { levelName(Kernel.level) }

    /// Returns the name of a level of the kernels.
    package static func levelName(_ level: Int) -> String {
        let names = ["portable", "AVX2", "AVX-512", "AVX-512 VBMI"]
        return names.indices.contains(level) ? names[level] : "level \(level)"
    }

    /// A lower bound of the version: conditional compilation cannot test for an exact version.
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

    /// The description in two or three lines.
    package var text: String {
        var text = "\(processor), \(cores) cores, \(memoryBytes >> 30) GiB, \(system),\n"
        text += "kernel \(kernel), \(build) build"
        if let compiler, let level { text += ", \(compiler), kernels at level \(level)" }
        text += ".\n"
        if let version, let lz4, let sqlite { text += "Kymograph \(version), LZ4 \(lz4), SQLite \(sqlite).\n" }
        return text
    }
}
