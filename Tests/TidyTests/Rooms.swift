// SPDX-License-Identifier: Apache-2.0

/// A room: a target of the package, with its folder and the modules that it may import.
struct Room: Equatable {
    let floor: Int
    let name: String
    let folder: String
    /// Rooms and products of other packages that the room may import: exactly the declarations in `Package.swift`.
    let imports: Set<String>
    /// Modules of the toolchain that the room may import besides the standard library; `Module.Type` allows one type
    /// only.
    let system: Set<String>

    init(_ floor: Int, _ name: String, in parent: String = "Sources", _ imports: Set<String>, system: Set<String> = [])
    {
        self.floor = floor
        self.name = name
        folder = parent + "/" + name
        self.imports = imports
        self.system = system
    }
}

/// The table of rooms and floors. A test compares it with the table in `Docs/Internals/Architecture.md` and with the
/// dependencies in `Package.swift`.
enum House {
    static let rooms: [Room] = [
        Room(0, "CKernels", []),
        Room(0, "CGuard", []),
        Room(0, "CSQLiteShim", ["CGuard", "CCipher"]),
        Room(0, "CCipher", []),
        Room(0, "CKymograph", []),
        Room(0, "CLZ4", []),
        Room(0, "CZlib", []),
        Room(1, "Bytes", ["CKernels"]),
        Room(1, "Kernels", ["CKernels"]),
        Room(1, "FileSystem", ["CGuard"], system: ["Glibc"]),
        Room(1, "CivilTime", [], system: ["Foundation.TimeZone", "Foundation.Date"]),
        Room(1, "SQLiteConnection", ["CSQLiteShim"]),
        Room(1, "Charts", []),
        Room(2, "Cipher", ["CCipher", "Bytes", "Kernels", "FileSystem"]),
        Room(2, "ColumnCodec", ["Bytes", "Kernels", "CKernels", "CLZ4"]),
        Room(2, "ChunkFormat", ["Bytes", "Kernels", "ColumnCodec", "Cipher"]),
        Room(2, "TimeIndex", ["Bytes", "Kernels", "ColumnCodec"]),
        Room(2, "Catalog", ["SQLiteConnection", "CSQLiteShim", "Bytes"], system: ["Foundation"]),
        Room(2, "ArrowStreams", ["CKymograph"]),
        Room(2, "HealthModel", [], system: ["Foundation"]),
        Room(2, "CoreLocation", [], system: ["Foundation"]),
        Room(2, "UniformTypeIdentifiers", []),
        Room(
            3, "Kymograph",
            [
                "Bytes", "Kernels", "FileSystem", "CivilTime", "ColumnCodec", "Cipher", "ChunkFormat", "TimeIndex",
                "Catalog",
            ],
            system: ["Dispatch"]),
        Room(
            3, "HealthCatalog", ["Catalog", "HealthModel", "SQLiteConnection", "Kernels", "FileSystem"],
            system: ["Foundation"]),
        Room(4, "KymographMetrics", ["Kymograph", "Logging", "CoreMetrics"]),
        Room(
            4, "KymographHealth",
            [
                "Kymograph", "HealthModel", "CoreLocation", "HealthCatalog", "Catalog", "Bytes", "Kernels",
                "UniformTypeIdentifiers", "CivilTime", "FileSystem", "CZlib",
            ],
            system: ["Dispatch", "Foundation"]),
        Room(5, "HealthKit", ["KymographHealth", "HealthModel", "CoreLocation"], system: ["Foundation"]),
        Room(
            5, "AppleHealthExport", ["KymographHealth", "HealthModel", "Bytes", "Kernels", "FileSystem", "CZlib"],
            system: ["Foundation"]),
        Room(
            5, "WorkoutFiles", ["KymographHealth", "HealthModel", "CoreLocation", "CivilTime", "FileSystem"],
            system: ["Foundation"]),
        Room(5, "HealthViews", ["KymographHealth", "CoreLocation", "CivilTime"]),
        Room(
            5, "HealthSync", ["KymographHealth", "Kymograph", "HealthCatalog", "Bytes", "Kernels", "FileSystem"],
            system: ["Dispatch", "Foundation"]),
        Room(6, "KymographC", ["CKymograph", "ArrowStreams", "Kymograph", "Cipher", "FileSystem"]),
        Room(
            6, "kymo", in: "Tools",
            [
                "HealthViews", "HealthSync", "Charts", "KymographHealth", "AppleHealthExport", "Kymograph",
                "HealthModel", "UniformTypeIdentifiers", "CivilTime", "FileSystem", "ArgumentParser",
            ],
            system: ["Foundation"]),
        Room(
            6, "chunk-dump", in: "Tools",
            [
                "ChunkFormat", "TimeIndex", "ColumnCodec", "Catalog", "Cipher", "FileSystem", "Bytes", "Kernels",
                "ArgumentParser",
            ],
            system: ["Foundation"]),
        Room(
            6, "BenchSupport", in: "Benchmarks",
            [
                "AppleHealthExport", "WorkoutFiles", "HealthSync", "KymographHealth", "HealthModel", "CoreLocation",
                "UniformTypeIdentifiers", "Kymograph", "Catalog", "ChunkFormat", "ColumnCodec", "Kernels", "Bytes",
                "FileSystem", "SQLiteConnection", "Charts", "CLZ4",
            ],
            system: ["Foundation"]),
        Room(
            6, "kymo-bench", in: "Benchmarks", ["BenchSupport", "FileSystem", "ArgumentParser"],
            system: ["Foundation"]),
    ]

    /// All imports between rooms of the same floor.
    static let sideways: Set<[String]> = [
        ["ChunkFormat", "ColumnCodec"], ["ChunkFormat", "Cipher"], ["TimeIndex", "ColumnCodec"],
        ["CSQLiteShim", "CGuard"], ["CSQLiteShim", "CCipher"], ["kymo-bench", "BenchSupport"],
    ]

    /// Targets for tests only. No product depends on them.
    static let testing: Set<String> = ["TestSupport", "CDiskVFS", "Campaigns", "campaign"]

    /// Modules of the language, which every room may import.
    static let standard: Set<String> = ["Swift", "Synchronization"]

    /// Products of other packages that appear in the table.
    static let products: Set<String> = ["ArgumentParser", "Logging", "CoreMetrics"]

    /// Adds the parts of Foundation if Foundation is granted.
    static func expanded(_ modules: Set<String>) -> Set<String> {
        modules.contains("Foundation") ? modules.union(["FoundationEssentials"]) : modules
    }

    /// Modules that any test may import besides its declared dependencies. HealthKit is included for code that compiles
    /// on Apple's systems, too.
    static let testModules: Set<String> = standard.union(
        expanded(["Testing", "Foundation", "TestSupport", "HealthKit"]))

    /// Headers that any C room may include: types, limits and arithmetic, without system calls.
    static let pureHeaders: Set<String> = [
        "stdint.h", "stddef.h", "stdbool.h", "limits.h", "float.h", "string.h", "math.h", "stdatomic.h", "immintrin.h",
        "nmmintrin.h", "cpuid.h", "arm_neon.h", "arm_acle.h",
    ]

    /// Further headers by C room. `*` allows any header: the guard and SQLite's file layer consist of system calls.
    static let headers: [String: Set<String>] = [
        "CGuard": ["*"],
        "CSQLiteShim": ["*"],
        "CKymograph": ["stdlib.h", "string.h"],
        "CCipher": ["dlfcn.h", "pthread.h", "stdio.h", "stdlib.h", "sys/mman.h"],
        "CLZ4": ["lz4.h", "lz4hc.h"],
        "CZlib": ["zlib.h"],
    ]

    static func room(named name: String) -> Room? { rooms.first { $0.name == name } }

    /// Returns the room of a path.
    static func room(of path: String) -> Room? { rooms.first { path.hasPrefix($0.folder + "/") } }
}
