// SPDX-License-Identifier: Apache-2.0

import Cipher
package import FileSystem
import Synchronization

/// A file without a name, encrypted by a key that only this object has. It is written from its start to its end, and
/// read at any place.
///
/// The content is encrypted in units of 64 KiB, each once: the last unit stays in memory until it is full.
final class EncryptedTemporaryFile: DiskFile {
    private static let content = 65_536
    private static let unit = content + MessageCipher.tagBytes

    private struct State {
        let cipher: MessageCipher
        /// The number of units in the file.
        var units = 0
        /// The content of the unit after them.
        var tail: [UInt8] = []
        /// The failure after which nothing is written any more: a unit must not be encrypted twice.
        var failure: DiskError?
        /// The unit that was read last.
        var read: (number: Int, content: [UInt8])?

        var count: Int { units * EncryptedTemporaryFile.content + tail.count }
    }

    private let file: any DiskFile
    private let path: String
    // A lock is not copied, and the cipher never leaves it.
    private let state: Mutex<State>

    init(_ file: any DiskFile, path: String) throws(StoreError) {
        self.file = file
        self.path = path
        let cipher = try inCipher { () throws(CipherError) in
            try MessageCipher(.aes256GCM, key: SecretBytes(random: MessageCipher.keyBytes))
        }
        state = Mutex(State(cipher: cipher))
    }

    func write(_ bytes: [UInt8], _ range: Range<Int>, at position: UInt64) throws(DiskError) {
        try state.withLock { state throws(DiskError) in
            if let failure = state.failure { throw failure }
            guard position == UInt64(state.count) else { throw failure("write", "a temporary file grows at its end") }
            var at = range.lowerBound
            while at < range.upperBound {
                let next = min(range.upperBound, at + Self.content - state.tail.count)
                state.tail += bytes[at..<next]
                at = next
                guard state.tail.count == Self.content else { continue }
                do throws(DiskError) { try flush(&state) } catch {
                    (state.failure, state.tail) = (error, [])
                    throw error
                }
            }
        }
    }

    private func flush(_ state: inout State) throws(DiskError) {
        let nonce = NumberNonce(UInt64(state.units)).bytes
        do throws(CipherError) {
            state.tail += try state.cipher.encrypt(&state.tail, 0..<Self.content, nonce: nonce)
        } catch { throw failure("write", error.message) }
        try file.write(state.tail, 0..<Self.unit, at: UInt64(state.units * Self.unit))
        state.units += 1
        state.tail.removeAll(keepingCapacity: true)
    }

    func read(at position: UInt64, count: Int, into buffer: inout [UInt8], offset: Int) throws(DiskError) -> Int {
        try state.withLock { state throws(DiskError) in
            let all = UInt64(state.count)
            guard position < all, count > 0 else { return 0 }
            let wanted = Int(min(UInt64(count), all - position))
            if buffer.count < offset + wanted {
                buffer += [UInt8](repeating: 0, count: offset + wanted - buffer.count)
            }
            var done = 0
            while done < wanted {
                let at = Int(position) + done
                let (number, start) = at.quotientAndRemainder(dividingBy: Self.content)
                let piece = min(wanted - done, Self.content - start)
                let unit = try content(number, &state)
                buffer.replaceSubrange(offset + done..<offset + done + piece, with: unit[start..<start + piece])
                done += piece
            }
            return wanted
        }
    }

    /// Returns the content of a unit.
    private func content(_ number: Int, _ state: inout State) throws(DiskError) -> [UInt8] {
        if number == state.units { return state.tail }
        if let read = state.read, read.number == number { return read.content }
        var bytes = [UInt8]()
        let found = try file.read(at: UInt64(number * Self.unit), count: Self.unit, into: &bytes, offset: 0)
        guard found == Self.unit else { throw failure("read", "the temporary file ends early") }
        let tag = Array(bytes[Self.content..<Self.unit])
        do throws(CipherError) {
            try state.cipher.decrypt(
                &bytes, 0..<Self.content, nonce: NumberNonce(UInt64(number)).bytes, tag: tag)
        } catch { throw failure("read", error.message) }
        bytes.removeSubrange(Self.content...)
        state.read = (number, bytes)
        return bytes
    }

    private func failure(_ operation: String, _ message: String) -> DiskError {
        DiskError(operation, path, DiskError.inputOutput, message)
    }

    func size() throws(DiskError) -> UInt64 { state.withLock { UInt64($0.count) } }

    /// Does nothing: the file does not outlive the process.
    func sync() throws(DiskError) {}

    func close() throws(DiskError) { try file.close() }
}

extension TimeSeriesStore {
    /// Creates a file in the store's directory and removes its name at once, so that it vanishes with the process. A
    /// file left by a crash is removed first. The file of an encrypted store is encrypted, and grows at its end only.
    ///
    /// - Parameter name: the name of the file.
    package func createTemporaryFile(_ name: String) throws(StoreError) -> any DiskFile {
        let path = path + "/" + name
        let file = try Self.createTemporaryFile(path, on: disk)
        guard context.options.keys != nil else { return file }
        return try EncryptedTemporaryFile(file, path: path)
    }

    /// Creates a plain file and removes its name at once.
    package static func createTemporaryFile(_ path: String, on disk: any Disk) throws(StoreError) -> any DiskFile {
        try onDisk { () throws(DiskError) in
            if try disk.kind(of: path) == .file { try disk.remove(path) }
            let file = try disk.create(path)
            try disk.remove(path)
            return file
        }
    }
}
