// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// A connection between two processes of this machine, or the place where one is awaited.
package final class LocalSocket: Sendable {
    private let descriptor: Descriptor

    private init(_ number: Int32, _ path: String) { descriptor = Descriptor(number, path: path) }

    deinit { close() }

    /// Creates the place for connections under a name in a directory, and replaces an older one. The directory's path
    /// may have any length.
    package static func listen(in directory: String, name: String) throws(DiskError) -> LocalSocket {
        var number: Int32 = -1
        let error = unsafe cg_socket_listen(directory, name, &number)
        if error != 0 { throw DiskError("listen", "\(directory)/\(name)", error) }
        return LocalSocket(number, "\(directory)/\(name)")
    }

    /// Connects to the place of a name in a directory.
    package static func connect(in directory: String, name: String) throws(DiskError) -> LocalSocket {
        var number: Int32 = -1
        let error = unsafe cg_socket_connect(directory, name, &number)
        if error != 0 { throw DiskError("connect", "\(directory)/\(name)", error) }
        return LocalSocket(number, "\(directory)/\(name)")
    }

    /// Waits for a connection; nil if none comes in time.
    package func accept(milliseconds: Int32) throws(DiskError) -> LocalSocket? {
        let path = descriptor.path
        let (number, error) = try descriptor.use("accept") { listener in
            var number: Int32 = -1
            let error = unsafe cg_socket_accept(listener, milliseconds, &number)
            return (number, error)
        }
        if error == EAGAIN { return nil }
        if error != 0 { throw DiskError("accept", path, error) }
        return LocalSocket(number, path)
    }

    /// Sends all bytes. Waits while the other side does not read.
    package func send(_ bytes: [UInt8]) throws(DiskError) {
        let path = descriptor.path
        let error = try descriptor.use("send") { number in
            unsafe bytes.withUnsafeBytes { unsafe cg_socket_send(number, $0.baseAddress, $0.count) }
        }
        if error != 0 { throw DiskError("send", path, error) }
    }

    /// Waits for a number of bytes; throws if the other side is gone.
    package func receive(_ count: Int) throws(DiskError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, count))
        let path = descriptor.path
        let error = try descriptor.use("receive") { number in
            unsafe bytes.withUnsafeMutableBytes { unsafe cg_socket_receive(number, $0.baseAddress, $0.count) }
        }
        if error != 0 { throw DiskError("receive", path, error) }
        return bytes
    }

    /// Ends the connection; calls that wait return with an error.
    package func close() {
        try? descriptor.use("shutdown") { number in cg_socket_shutdown(number) }
        try? descriptor.close()
    }
}
