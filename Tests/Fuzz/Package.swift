// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A separate package, so that `swift test` does not link it. `Sources` is a link to the rooms, compiled here with
// counters on every edge. `Tests/Fuzz/run` adds address checking and names libFuzzer's library.

/// The instrumentation that libFuzzer uses: edges with their addresses, and the operands of comparisons.
let coverage: [SwiftSetting] = [
    .unsafeFlags([
        "-sanitize=address", "-sanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp,indirect-calls",
        "-enable-testing",
    ])
]
let ccoverage: [CSetting] = [
    .unsafeFlags([
        "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined",
        "-fsanitize-coverage=edge,inline-8bit-counters,pc-table,trace-cmp,indirect-calls",
    ])
]
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings + coverage)
}

func croom(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", cSettings: ccoverage)
}

let package = Package(
    name: "kymograph-fuzz",
    targets: [
        croom("CKernels"), croom("CGuard"), croom("CSQLiteShim", ["CGuard", "CCipher"]), croom("CCipher"),
        .systemLibrary(name: "CLZ4", path: "Sources/CLZ4", providers: [.apt(["liblz4-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", providers: [.apt(["zlib1g-dev"])]),
        room("Bytes", ["CKernels"]),
        room("Kernels", ["CKernels"]),
        room("FileSystem", ["CGuard"]),
        room("CivilTime"),
        room("SQLiteConnection", ["CSQLiteShim"]),
        room("Cipher", ["CCipher", "Bytes", "Kernels", "FileSystem"]),
        room("ColumnCodec", ["Bytes", "Kernels", "CKernels", "CLZ4"]),
        room("ChunkFormat", ["Bytes", "Kernels", "ColumnCodec", "Cipher"]),
        room("TimeIndex", ["Bytes", "Kernels", "ColumnCodec"]),
        room("Catalog", ["SQLiteConnection", "CSQLiteShim", "Bytes"]),
        room("HealthModel"),
        room("CoreLocation"), room("UniformTypeIdentifiers"),
        room(
            "Kymograph",
            [
                "Bytes", "Kernels", "FileSystem", "CivilTime", "ColumnCodec", "Cipher", "ChunkFormat", "TimeIndex",
                "Catalog",
            ]),
        room("HealthCatalog", ["Catalog", "HealthModel", "SQLiteConnection", "Kernels", "FileSystem"]),
        room(
            "KymographHealth",
            [
                "Kymograph", "HealthModel", "CoreLocation", "HealthCatalog", "Catalog", "Bytes", "Kernels",
                "UniformTypeIdentifiers", "CivilTime", "FileSystem", "CZlib",
            ]),
        room("AppleHealthExport", ["KymographHealth", "HealthModel", "Bytes", "Kernels", "FileSystem", "CZlib"]),
        room(
            "WorkoutFiles", ["KymographHealth", "HealthModel", "CoreLocation", "CivilTime", "FileSystem"]),
        room("HealthSync", ["KymographHealth", "Kymograph", "HealthCatalog", "Bytes", "Kernels", "FileSystem"]),
        .target(name: "CFuzz", path: "CFuzz"),
        .target(
            name: "TestSupport", dependencies: ["FileSystem"], path: "TestSupport",
            sources: ["MemoryDisk.swift", "MemoryDisk+Calls.swift", "MemoryFile.swift"], swiftSettings: settings),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzz", "Bytes", "Kernels", "FileSystem", "CivilTime", "ColumnCodec", "ChunkFormat", "Cipher",
                "TimeIndex",
                "Catalog", "HealthModel", "Kymograph", "KymographHealth", "AppleHealthExport", "WorkoutFiles", "CZlib",
                "HealthCatalog", "HealthSync", "TestSupport",
            ],
            path: "Fuzz", swiftSettings: settings),
    ]
)
