// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A separate package, as an external user would write it. README.md shows the dependency by address.
let package = Package(
    name: "Workout",
    dependencies: [.package(name: "kymograph", path: "../../..")],
    targets: [
        .executableTarget(
            name: "Workout",
            dependencies: [
                .product(name: "KymographHealth", package: "kymograph"),
                .product(name: "WorkoutFiles", package: "kymograph"),
            ])
    ]
)
