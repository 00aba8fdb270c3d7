import { Argument } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";

/** The completion scripts, keyed by the shell. Each script calls the hidden command `__complete`. */
const scripts: Readonly<Record<string, string>> = {
  // Works in bash 3.2 and later.
  bash: `_calltrack() {
  local cur=\${COMP_WORDS[COMP_CWORD]} IFS=$'\\n' words
  if [[ $cur == "=" ]]; then cur=; fi
  words=$(calltrack __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null | cut -f 1)
  if [[ $words == ":files" ]]; then
    compopt -o filenames 2>/dev/null
    words=$(compgen -f -- "$cur")
  fi
  COMPREPLY=($words)
}
complete -F _calltrack calltrack
`,
  // Can be sourced, or saved as a file in a folder of zsh's `fpath`.
  zsh: `#compdef calltrack
_calltrack() {
  local -a lines=("\${(@f)$(calltrack __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines == ":files" ]]; then
    compset -P '--*='
    _files
  else
    lines=("\${(@)lines//:/\\\\:}")
    lines=("\${(@)lines/$'\\t'/:}")
    _describe calltrack lines
  fi
}
if [[ \${funcstack[1]} == _calltrack ]]; then _calltrack "$@"; else compdef _calltrack calltrack; fi
`,
  fish: `function __calltrack_complete
    set -l current (commandline -ct)
    set -l lines (calltrack __complete -- (commandline -opc)[2..-1] "$current" 2>/dev/null)
    if test "$lines" = ":files"
        set -l prefix (string match -r '^--[^=]+=' -- "$current")
        __fish_complete_path (string replace -- "$prefix" '' "$current") | string replace -r '^' -- "$prefix"
    else
        printf '%s\\n' $lines
    end
end
complete -c calltrack -f -a '(__calltrack_complete)'
`,
};

/** Defines `completion`, which prints the completion script of a shell. */
export function defineCommand(completion: CliCommand): void {
  completion
    .addArgument(new Argument("<shell>", "the shell that runs the script").choices(Object.keys(scripts)))
    .action((shell: string) => {
      completion.host.stdout.write(scripts[shell] ?? "");
    })
    .examples(
      "source <(calltrack completion bash)",
      "source <(calltrack completion zsh)",
      "calltrack completion fish | source",
    );
}
