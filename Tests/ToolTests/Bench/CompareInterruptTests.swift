// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("B-2 kymo-bench compare and real leave no process and no file after an interruption")
struct CompareInterruptTests {
    /// A script that writes its own process id and that of a child process, and waits.
    private static let waiting = """
        import os, subprocess, sys, time
        child = subprocess.Popen(['sleep', '60'])
        out = sys.argv[0] + '.processes'
        with open(out + '.new', 'w') as file:
            file.write(f'{os.getpid()} {child.pid}')
        os.rename(out + '.new', out)
        time.sleep(60)
        """

    /// Starts a command, waits until a script runs, and sends a signal.
    private func interrupt(_ arguments: [String], _ script: String, _ number: Int32) throws {
        let scripts = try PeerScripts([script: Self.waiting])
        let work = scripts.directory.file("work")
        for name in ["work", "ecg"] {
            try FileManager.default.createDirectory(
                atPath: scripts.directory.file(name), withIntermediateDirectories: false, attributes: nil)
        }
        let process = Process()
        process.executableURL = Tool.directory.appendingPathComponent(Tool.kymoBench.rawValue)
        process.arguments = arguments + ["--work", work] + scripts.options
        if arguments[0] == "real" { process.arguments?.append(contentsOf: ["--data", scripts.directory.path]) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let said = scripts.directory.file(script + ".processes")
        while !FileManager.default.fileExists(atPath: said) && process.isRunning { usleep(10_000) }
        let numbers = try String(contentsOfFile: said, encoding: .utf8).split(separator: " ").compactMap { Int32($0) }
        #expect(numbers.count == 2 && numbers.allSatisfy(isRunning))
        #expect(try !FileManager.default.contentsOfDirectory(atPath: work).isEmpty)
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == number)
        for number in numbers { #expect(!isRunning(number), "\(number)") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: work).isEmpty)
    }

    @Test("a worker and its server end with the run", arguments: [SIGTERM, SIGINT])
    func worker(_ number: Int32) throws {
        try interrupt(
            ["compare", "--small", "--sets", "energy", "--runs", "1", "--peers", "polars"], "worker.py", number)
    }

    @Test("an installation and a reader of recordings end with the run", arguments: ["install.py", "real_series.py"])
    func reader(_ script: String) throws { try interrupt(["real"], script, SIGTERM) }
}
