// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The completion script for bash, which the parser generates.
///
/// The parser's script filters the program's words by a prefix in the same case, and inserts blanks as they are. So
/// `europe/zu` and `iph` would complete nothing, and a name with a blank would become two words.
enum BashCompletion {
    private static let start = "#!/bin/bash\n"
    private static let call = "__kymo_add_completions -W \"$(__kymo_custom_complete "
    private static let ownCall = "__kymo_add_found \"$(__kymo_custom_complete "

    /// Adds the words that the program found; outside of quotes, other characters than letters, digits and a few
    /// harmless ones get a backslash.
    private static let function = #"""
        __kymo_add_found() {
            local found
            while IFS='' read -r found; do
                [[ -z "${found}" ]] && continue
                if [[ "${COMP_WORDS[COMP_CWORD]}" != [\"\']* && "${found}" = *[^[:alnum:]_./:,+%-]* ]]; then
                    found="$(sed 's/[][[:space:]"'\''$`\\!&;()<>|*?#~{}^]/\\&/g' <<< "${found}")"
                fi
                COMPREPLY+=("${found}")
            done <<< "${1}"
        }

        """#

    /// Returns the script with the repaired functions; any other text unchanged.
    static func repaired(_ text: String) -> String {
        guard text.hasPrefix(start), text.contains(call) else { return text }
        return start + "\n" + function + text.dropFirst(start.count).replacingOccurrences(of: call, with: ownCall)
    }

    /// Returns the begun word without the quote that begins it and without backslashes.
    static func plain(_ begun: String) -> String {
        guard let first = begun.first, first == "\"" || first == "'" else {
            return begun.replacingOccurrences(of: "\\", with: "")
        }
        return String(begun.dropFirst())
    }
}
