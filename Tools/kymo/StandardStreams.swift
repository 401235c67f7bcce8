// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The numbers of the standard streams.
enum StandardStreams {
    /// Gives the number of a closed output stream to a file that cannot be written. Otherwise a file of the store would
    /// take the number, and output would be written into the store.
    ///
    /// - Ordering: before any file is opened.
    static func reserve() { _ = reserved }

    /// The file; nil if no stream is closed.
    private static let reserved: FileHandle? = {
        let closed = [STDOUT_FILENO, STDERR_FILENO].filter { fcntl($0, F_GETFD) < 0 }
        guard !closed.isEmpty, let null = FileHandle(forReadingAtPath: "/dev/null") else { return nil }
        for number in closed where null.fileDescriptor != number { dup2(null.fileDescriptor, number) }
        return null
    }()
}
