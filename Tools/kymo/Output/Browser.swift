// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program that shows pages to the person.
enum Browser {
    /// Shows a file; the desktop's `xdg-open` chooses the program.
    static func open(_ path: String) throws(Failure) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdg-open", path]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            process.waitUntilExit()
        } catch {
            throw Failure(.failed, "no browser can be started (\(error)); open \(path) yourself")
        }
        guard process.terminationStatus == 0 else {
            throw Failure(.failed, "xdg-open cannot show the page; open \(path) yourself")
        }
    }
}
