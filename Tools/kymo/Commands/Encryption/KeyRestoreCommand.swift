// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph

struct KeyRestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put exported keys back into a store that has lost KEYS and KEYS.2.",
        discussion: """
            The file is that of \"kymo key export\", or the file of a backup whose name begins with KEYS.
            """)

    @Argument(help: ArgumentHelp("The exported keys.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { _ in
            try TimeSeriesStore.restoreKeys(of: store.resolved(), from: file, options: Stores.options())
            return .done
        }
    }
}
