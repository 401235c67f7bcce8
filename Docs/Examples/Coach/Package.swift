// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A package of its own, as a stranger would write it. README.md has the form that names a version.
let package = Package(
    name: "Coach",
    dependencies: [.package(name: "kymograph", path: "../../..")],
    targets: [
        .executableTarget(name: "Coach", dependencies: [.product(name: "KymographHealth", package: "kymograph")])
    ]
)
