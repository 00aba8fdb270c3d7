import { type CompletionNode, type CompletionValue, valueOptionNames } from "./completion-node.js";

/** Generates a completion script for bash 3.2 and later. */
export function bashCompletion(program: string, nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path));
  return `# Completion of ${program} for bash. To install it: source <(${program} completion bash)
_${program}() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]}
  local path= word= skip= words= files= i position=0
  local -a args
  COMPREPLY=()
  # Bash takes "--option=value" for three words.
  if [[ $cur == "=" ]]; then cur=; elif [[ $prev == "=" ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == "=" ]]; then skip=1; continue; fi
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      ${valueOptionNames(nodes).join("|")}) skip=1 ;;
      -*) ;;
      *)
        case "$path $word" in
          ${paths.join("|")}) path="$path $word" ;;
          *) args[position]=$word position=$((position + 1)) ;;
        esac
        ;;
    esac
  done
  case $path in
${nodes.map((node) => nodeCase(program, node)).join("\n")}
  esac
  if [[ -n $files ]]; then
    local IFS=$'\\n'
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F _${program} ${program}
`;
}

function nodeCase(program: string, { path, commands, options, arguments: positions }: CompletionNode): string {
  const names = options.flatMap((option) => option.names).join(" ");
  const afterOption = options.flatMap((option) =>
    option.value === undefined ? [] : [`        ${option.names.join("|")}) ${assign(option.value, program)} ;;`],
  );
  const atPosition = positions.map((value, position) => `            ${position}) ${assign(value, program)} ;;`);
  return `    ${path.length === 0 ? '""' : quote(path)})
      case $prev in
${afterOption.join("\n")}
        *)
          case $position in
${[...atPosition, `            *) words="${commands.map(({ name }) => name).join(" ")}" ;;`].join("\n")}
          esac
          if [[ $cur == -* ]]; then files= words="${names}"; fi
          ;;
      esac
      ;;`;
}

function assign({ choices, isFile, source }: CompletionValue, program: string): string {
  if (source !== undefined) return `words=$(${program} __complete ${source} "\${args[@]}" 2>/dev/null)`;
  return isFile ? "files=1" : `words="${choices.join(" ")}"`;
}

/** Quotes a path as the script stores it: with a space before each name. */
function quote(path: readonly string[]): string {
  return `"${path.map((name) => ` ${name}`).join("")}"`;
}
