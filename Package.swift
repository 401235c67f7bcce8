// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The targets are data: a room is a target's folder with a list of its imports. `Docs/Internals/Architecture.md` has
// the table of rooms and floors; `Tests/TidyTests` compares it with the code.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Gives tests access to internal declarations. Debug builds always do so; optimised builds, which run the tests eight
/// times as fast, only if this variable is set, as `Tools/test` does.
let isTesting = Context.environment["KYMOGRAPH_TESTING"] != nil
let testing: [SwiftSetting] =
    isTesting
    ? [.unsafeFlags(["-enable-testing"], .when(configuration: .release)), .define("KYMOGRAPH_TESTING")] : []

/// The plugin that `Tools/docs` runs. Only a build of tests and documentation resolves it; users of the package do not.
let docc: [Package.Dependency] =
    isTesting ? [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.5")] : []

/// Returns the library target of a room in `Sources/`.
func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings + testing)
}

/// Returns the C target of a room in `Sources/`: hot loops and system calls that Swift cannot make.
func croom(_ name: String, _ dependencies: [Target.Dependency] = [], cSettings: [CSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", cSettings: cSettings)
}

/// Lets tests observe each encryption, in the builds that run tests.
let observed: [CSetting] =
    [.define("KC_TESTING", .when(configuration: .debug))]
    + (isTesting ? [.define("KC_TESTING", .when(configuration: .release))] : [])

/// Returns a system library, found by its module map.
func system(_ name: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/\(name)", providers: [.apt([apt])])
}

/// Returns an executable target.
func program(_ name: String, in folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "\(folder)/\(name)",
        swiftSettings: settings + testing)
}

/// Returns the tests of one room, `Tests/<Room>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)", resources: resources,
        swiftSettings: settings)
}

let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let metricsTestKit: Target.Dependency = .product(name: "MetricsTestKit", package: "swift-metrics")

let package = Package(
    name: "kymograph",
    // A product names the modules that its module exports: a build then compiles a client again when they change.
    products: [
        .library(name: "Kymograph", targets: ["Kymograph", "Cipher"]),
        .library(name: "KymographHealth", targets: ["KymographHealth", "HealthModel", "Kymograph", "Cipher"]),
        .library(name: "AppleHealthExport", targets: ["AppleHealthExport"]),
        .library(name: "WorkoutFiles", targets: ["WorkoutFiles"]),
        .library(
            name: "HealthViews", targets: ["HealthViews", "KymographHealth", "HealthModel", "Kymograph", "Cipher"]),
        .library(name: "HealthSync", targets: ["HealthSync", "KymographHealth", "HealthModel", "Kymograph", "Cipher"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(
            name: "HealthKit",
            targets: [
                "HealthKit", "KymographHealth", "HealthModel", "Kymograph", "Cipher", "CoreLocation",
                "UniformTypeIdentifiers",
            ]),
        .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
        .library(name: "KymographMetrics", targets: ["KymographMetrics"]),
        .executable(name: "kymo", targets: ["kymo"]),
        .executable(name: "chunk-dump", targets: ["chunk-dump"]),
        .executable(name: "kymo-bench", targets: ["kymo-bench"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ] + docc,
    targets: [
        // Floor 0: C and system libraries.
        croom("CKernels"), croom("CGuard"), croom("CSQLiteShim", ["CGuard", "CCipher"]),
        croom("CCipher", cSettings: observed),
        croom("CKymograph"),
        system("CLZ4", apt: "liblz4-dev"), system("CZlib", apt: "zlib1g-dev"),
        // Floor 1: bytes, number kernels, files and the operating system, the calendar, SQLite, drawings.
        room("Bytes", ["CKernels"]),
        room("Kernels", ["CKernels"]),
        room("FileSystem", ["CGuard"]),
        room("CivilTime"),
        room("SQLiteConnection", ["CSQLiteShim"]),
        room("Charts"),
        // Floor 2: encodings of values, keys; only the catalog and the files of keys are opened here.
        room("Cipher", ["CCipher", "Bytes", "Kernels", "FileSystem"]),
        room("ColumnCodec", ["Bytes", "Kernels", "CKernels", "CLZ4"]),
        room("ChunkFormat", ["Bytes", "Kernels", "ColumnCodec", "Cipher"]),
        room("TimeIndex", ["Bytes", "Kernels", "ColumnCodec"]),
        room("Catalog", ["SQLiteConnection", "CSQLiteShim", "Bytes"]),
        room("ArrowStreams", ["CKymograph"]),
        room("HealthModel"),
        room("CoreLocation"),
        room("UniformTypeIdentifiers"),
        // Floor 3: the engine and the health catalog.
        room(
            "Kymograph",
            [
                "Bytes", "Kernels", "FileSystem", "CivilTime", "ColumnCodec", "Cipher", "ChunkFormat", "TimeIndex",
                "Catalog",
            ]),
        room("HealthCatalog", ["Catalog", "HealthModel", "SQLiteConnection", "Kernels", "FileSystem"]),
        // Floor 4, beside the health store: logging and metrics of a running store.
        room("KymographMetrics", ["Kymograph", logging, metrics]),
        // Floors 4 and 5: the health store, its name on Linux, answers for people, Apple's export files, and files of
        // workouts.
        room(
            "KymographHealth",
            [
                "Kymograph", "HealthModel", "CoreLocation", "HealthCatalog", "Catalog", "Bytes", "Kernels",
                "UniformTypeIdentifiers", "CivilTime", "FileSystem", "CZlib",
            ]),
        room("HealthKit", ["KymographHealth", "HealthModel", "CoreLocation"]),
        room("AppleHealthExport", ["KymographHealth", "HealthModel", "Bytes", "Kernels", "FileSystem", "CZlib"]),
        room("WorkoutFiles", ["KymographHealth", "HealthModel", "CoreLocation", "CivilTime", "FileSystem"]),
        room("HealthViews", ["KymographHealth", "CoreLocation", "CivilTime"]),
        room("HealthSync", ["KymographHealth", "Kymograph", "HealthCatalog", "Bytes", "Kernels", "FileSystem"]),
        // Floor 6: the C interface, and programs.
        room("KymographC", ["CKymograph", "ArrowStreams", "Kymograph", "Cipher", "FileSystem"]),
        program(
            "kymo", in: "Tools",
            [
                "HealthViews", "HealthSync", "Charts", "KymographHealth", "AppleHealthExport", "Kymograph",
                "HealthModel", "UniformTypeIdentifiers", "CivilTime", "FileSystem", arguments,
            ]),
        program(
            "chunk-dump", in: "Tools",
            [
                "ChunkFormat", "TimeIndex", "ColumnCodec", "Catalog", "Cipher", "FileSystem", "Bytes", "Kernels",
                arguments,
            ]),
        program("kymo-bench", in: "Benchmarks", ["BenchSupport", "FileSystem", arguments]),
        .target(
            name: "BenchSupport",
            dependencies: [
                "AppleHealthExport", "WorkoutFiles", "HealthSync", "KymographHealth", "HealthModel", "CoreLocation",
                "UniformTypeIdentifiers", "Kymograph", "Catalog", "ChunkFormat", "ColumnCodec", "Kernels", "Bytes",
                "FileSystem", "SQLiteConnection", "Charts", "CLZ4",
            ],
            path: "Benchmarks/BenchSupport", swiftSettings: settings),
        // Tests.
        .target(
            name: "TestSupport", dependencies: ["FileSystem", "CDiskVFS", "Cipher"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "CDiskVFS", path: "Tests/CDiskVFS", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "Campaigns",
            dependencies: [
                "AppleHealthExport", "HealthSync", "KymographHealth", "HealthModel", "CoreLocation",
                "UniformTypeIdentifiers", "Kymograph", "Catalog", "ChunkFormat", "Cipher", "FileSystem", "CZlib",
                "HealthCatalog", "TestSupport",
            ],
            path: "Tests/Campaigns", exclude: ["CallSites.txt"],
            swiftSettings: settings),
        program("campaign", in: "Tests", ["Campaigns", "TestSupport", arguments]),
        tests("TidyTests", [], resources: [.copy("Ratchet.txt")]),
        tests("BytesTests", ["Bytes"]),
        tests("KernelsTests", ["Kernels"]),
        tests("FileSystemTests", ["FileSystem"]),
        tests("CivilTimeTests", ["CivilTime"]),
        tests("CipherTests", ["Cipher", "FileSystem", "Bytes", "Kernels"], resources: [.copy("Golden")]),
        tests("SQLiteConnectionTests", ["SQLiteConnection"]),
        tests("ChartsTests", ["Charts"], resources: [.copy("Golden")]),
        tests("ColumnCodecTests", ["ColumnCodec", "Bytes", "Kernels"]),
        tests(
            "ChunkFormatTests", ["ChunkFormat", "TimeIndex", "ColumnCodec", "Cipher", "Bytes", "Kernels"],
            resources: [.copy("Golden")]),
        tests("TimeIndexTests", ["TimeIndex", "Bytes", "Kernels"]),
        tests("CatalogTests", ["Catalog", "HealthCatalog"]),
        tests("HealthModelTests", ["HealthModel"]),
        tests("CoreLocationTests", ["CoreLocation"]),
        tests("UniformTypeIdentifiersTests", ["UniformTypeIdentifiers"]),
        tests(
            "KymographTests",
            [
                "Kymograph", "FileSystem", "ChunkFormat", "TimeIndex", "Catalog", "Cipher", "Bytes", "Kernels",
                "Campaigns",
            ],
            resources: [.copy("Golden")]),
        tests(
            "KymographMetricsTests",
            ["KymographMetrics", "Kymograph", "Catalog", "FileSystem", logging, metrics, metricsTestKit]),
        tests(
            "KymographHealthTests",
            [
                "KymographHealth", "CoreLocation", "HealthCatalog", "HealthModel", "Kymograph", "Catalog", "FileSystem",
                "Bytes", "UniformTypeIdentifiers",
            ],
            resources: [.copy("Golden")]),
        tests(
            "HealthKitTests",
            [
                "HealthKit", "KymographHealth", "HealthModel", "CoreLocation", "UniformTypeIdentifiers", "FileSystem",
            ]),
        tests(
            "AppleHealthExportTests",
            [
                "AppleHealthExport", "KymographHealth", "CoreLocation", "UniformTypeIdentifiers", "HealthCatalog",
                "HealthModel", "Catalog", "CivilTime", "FileSystem", "Kernels", "CZlib",
            ],
            resources: [.copy("Fixtures")]),
        tests(
            "WorkoutFilesTests", ["WorkoutFiles", "KymographHealth", "HealthModel", "CoreLocation", "FileSystem"],
            resources: [.copy("Fixtures")]),
        tests(
            "HealthViewsTests",
            ["HealthViews", "KymographHealth", "CoreLocation", "AppleHealthExport", "CivilTime", "FileSystem"]),
        tests(
            "HealthSyncTests",
            [
                "HealthSync", "KymographHealth", "Kymograph", "HealthModel", "HealthCatalog", "CoreLocation",
                "FileSystem", "UniformTypeIdentifiers", "Bytes", "ChunkFormat",
            ]),
        tests("KymographCTests", ["KymographC", "CKymograph", "Kymograph"]),
        tests("BenchSupportTests", ["BenchSupport", "Kymograph", "FileSystem"], resources: [.copy("Reports")]),
        tests("CampaignTests", ["Campaigns", "campaign"]),
        tests("ToolTests", ["kymo", "chunk-dump", "kymo-bench", "KymographHealth", "CoreLocation", "FileSystem"]),
    ]
)
