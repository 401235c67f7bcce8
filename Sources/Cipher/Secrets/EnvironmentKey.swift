// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// The key that the environment of the process names: a file in `KYMO_KEY_FILE`, else the program and arguments in
/// `KYMO_KEY_COMMAND`, separated by spaces, else the credential `kymograph` of systemd.
public struct EnvironmentKey: KeyProvider {
    private let provider: (any KeyProvider)?
    /// Whether the environment names a file or a program.
    public let isNamed: Bool

    /// Reads the environment of the process.
    public init() {
        if let file = Self.variable("KYMO_KEY_FILE") {
            (provider, isNamed) = (KeyFile(file), true)
        } else if let command = Self.variable("KYMO_KEY_COMMAND") {
            let words = command.split(separator: " ").map { String($0) }
            (provider, isNamed) = (KeyCommand(words), true)
        } else if let directory = Self.variable("CREDENTIALS_DIRECTORY"),
            (try? RealDisk().exists(directory + "/" + Self.credential)) == true
        {
            (provider, isNamed) = (SystemdCredential(Self.credential), false)
        } else {
            (provider, isNamed) = (nil, false)
        }
    }

    private static let credential = "kymograph"

    private static func variable(_ name: String) -> String? {
        Environment.value(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether the environment names no key.
    public var isEmpty: Bool { provider == nil }

    /// Returns the secret, whichever store asks.
    public func secret(for store: KeyRequest) throws -> StoreSecret? { try provider?.secret(for: store) }
}
