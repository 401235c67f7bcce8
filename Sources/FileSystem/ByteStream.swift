// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Two open descriptors of pipes, sockets or terminals: one to read bytes from, and one to write bytes to. One thread
/// may read while another one writes.
package final class ByteStream: Sendable {
    private let input: Descriptor
    private let output: Descriptor

    /// Takes over two descriptors, which are closed with the stream.
    package init(reading input: Int32, writing output: Int32, name: String) {
        self.input = Descriptor(input, path: name)
        self.output = Descriptor(output, path: name)
    }

    /// Waits for bytes, and returns at most `count`; none at the end of the input, and after `close`.
    package func read(_ count: Int) throws(DiskError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: max(1, count))
        while true {
            let (done, error): (Int, Int32)
            do throws(DiskError) {
                (done, error) = try input.use("read") { number in
                    // A thread that waits in `read` would not notice `close`.
                    var wait = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
                    if number < 0 { return (0, EBADF) }
                    if unsafe poll(&wait, 1, 50) <= 0 { return (0, EAGAIN) }
                    return unsafe buffer.withUnsafeMutableBytes { memory in
                        let done = unsafe Glibc.read(number, memory.baseAddress, memory.count)
                        return (done, done < 0 ? errno : 0)
                    }
                }
            } catch {
                if error.errno == EBADF { return [] }
                throw error
            }
            if error == EAGAIN || error == EINTR { continue }
            if error != 0 { throw DiskError("read", input.path, error) }
            buffer.removeSubrange(max(0, done)...)
            return buffer
        }
    }

    /// Bytes that a pipe takes without waiting once it can be written to.
    private static let atOnce = 4_096

    /// Writes all bytes. A stream whose other end is closed is an error, if the program ignores the signal for it.
    package func write(_ bytes: [UInt8]) throws(DiskError) {
        var at = 0
        while at < bytes.count {
            let from = at
            let (done, error) = try output.use("write") { number in
                // A thread that waits in `write` would not notice `close`.
                var wait = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                if number < 0 { return (0, EBADF) }
                if unsafe poll(&wait, 1, 50) <= 0 { return (0, EINTR) }
                return unsafe bytes.withUnsafeBytes { memory in
                    guard let base = memory.baseAddress else { return (0, Int32(0)) }
                    let done = unsafe Glibc.write(number, base + from, min(Self.atOnce, bytes.count - from))
                    return (done, done < 0 ? errno : 0)
                }
            }
            if error == EINTR || error == EAGAIN { continue }
            if error != 0 { throw DiskError("write", output.path, error) }
            at += done
        }
    }

    /// Closes both descriptors, each after its last running call.
    package func close() {
        try? output.close()
        try? input.close()
    }

    /// Ignores the signal of a stream without a reader, so that a write to it is an error.
    package static func ignoreBrokenPipes() { _ = unsafe signal(SIGPIPE, SIG_IGN) }
}
