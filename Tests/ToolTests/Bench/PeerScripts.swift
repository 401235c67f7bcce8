// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Replacements for the scripts of the peers that need no library and no network.
struct PeerScripts {
    let directory: TemporaryDirectory

    /// Creates a directory with scripts by name. `worker.py` is always there, since it identifies a directory of
    /// scripts.
    init(_ scripts: [String: String]) throws {
        directory = try TemporaryDirectory()
        let all = ["worker.py": "", "install.py": "", "bin/python": "#!/bin/sh\nexec python3 \"$@\"\n"]
        let bin = URL(fileURLWithPath: directory.file("bin"))
        try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        for (name, text) in all.merging(scripts, uniquingKeysWith: { $1 }) {
            try Data(text.utf8).write(to: URL(fileURLWithPath: directory.file(name)))
        }
        let python = directory.file("bin/python")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: python)
    }

    /// The peer scripts of the repository.
    static let real = repository.appendingPathComponent("Benchmarks/peers").path

    /// Options that select these scripts and an environment with the system's interpreter.
    var options: [String] { ["--scripts", directory.path, "--venv", directory.path] }

    /// A worker that runs the worker of the repository.
    static let realWorker = """
        import runpy, sys
        sys.path.insert(0, '\(real)')
        runpy.run_path('\(real)/worker.py', run_name='__main__')
        """

    /// An installation that fails.
    static let failingInstall = """
        import sys
        print('WARNING: Retrying', 'pip could not install it:', 'no route to the registry', sep='\\n', file=sys.stderr)
        sys.exit(1)
        """
}
