// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The folder of one hostile import: the store, the file, and traps.
struct HostileFolder: Sendable {
    let path: String
    /// A port of this machine that no import may connect to.
    let port: UInt16

    var store: String { path + "/store" }
    /// A file that no import may read.
    var secret: String { path + "/secret.txt" }
    /// A pipe that blocks every process that opens it.
    var pipe: String { path + "/pipe" }
    static let secretText = "TOP-SECRET-0b5e77e1"

    /// Creates the folder with its traps.
    func prepare() throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path + "/temporary", withIntermediateDirectories: true)
        try Data(Self.secretText.utf8).write(to: URL(fileURLWithPath: secret))
        guard unsafe mkfifo(pipe, 0o600) == 0 else { throw CampaignError("no pipe \(pipe): error \(errno)") }
    }

    /// Writes a file into the folder. Returns its path.
    func write(_ bytes: [UInt8], to name: String) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
        return path + "/" + name
    }

    /// Returns every file, folder and link outside the store, with its length.
    func inventory() -> Set<String> {
        var found: Set<String> = []
        var open = [path]
        while let folder = open.popLast() {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                let place = folder + "/" + name
                if place == store { continue }
                var about = stat()
                guard unsafe lstat(place, &about) == 0 else { continue }
                let kind = about.st_mode & S_IFMT
                found.insert("\(place) \(kind) \(kind == S_IFREG ? about.st_size : 0)")
                if kind == S_IFDIR { open.append(place) }
            }
        }
        return found
    }
}

/// A listening port that detects connections.
final class TrapPort: Sendable {
    private let socket: Int32
    let port: UInt16

    init() throws {
        let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(socket, generic, length) == 0 && listen(socket, 16) == 0
                    && getsockname(socket, generic, &length) == 0
            }
        }
        guard bound else { throw CampaignError("cannot listen on a port: error \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
        self.socket = socket
    }

    /// Returns true if a connection arrived since the last call.
    func wasCalled() -> Bool {
        let caller = accept(socket, nil, nil)
        if caller < 0 { return false }
        close(caller)
        return true
    }

    deinit { close(socket) }
}
