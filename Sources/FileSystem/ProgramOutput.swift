// SPDX-License-Identifier: Apache-2.0

internal import CGuard
internal import Glibc

/// The output of another program.
package enum ProgramOutput {
    /// Runs a program without a shell and reads its standard output. The program shares standard input and standard
    /// error with this process.
    ///
    /// - Parameters:
    ///   - arguments: the program, as a path or a name on `PATH`, and its arguments.
    ///   - memory: receives the output.
    ///   - milliseconds: the time after which the program is killed.
    /// - Returns: the number of bytes of the output.
    /// - Throws: an error if the program cannot be started, takes too long, fails, or has more output than `memory`
    ///   holds. The program has ended in each case.
    package static func read(
        _ arguments: [String], into memory: UnsafeMutableRawBufferPointer, milliseconds: Int
    ) throws(DiskError) -> Int {
        let program = arguments.first ?? ""
        guard !program.isEmpty, !arguments.contains(where: { $0.utf8.contains(0) }),
            let base = memory.baseAddress
        else { throw DiskError("run", program, EINVAL, "the arguments of the program") }
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        defer { unsafe words.forEach { unsafe free($0) } }
        unsafe words.append(nil)
        var count = 0
        var exitCode: Int32 = 0
        let error = unsafe cg_program_output(
            words, Int32(clamping: milliseconds), base, memory.count, &count, &exitCode)
        guard error == 0 else { throw DiskError("run", program, error) }
        guard exitCode == 0 else {
            let end = exitCode > 0 ? "the program ended with status \(exitCode)" : "a signal ended the program"
            throw DiskError("run", program, ECANCELED, end)
        }
        return count
    }
}
