import { type CompletionNode, type CompletionValue, type CompletionWord, valueOptionNames } from "./completion-node.js";

/** Generates a completion script for zsh, to be sourced or put in a folder of `fpath`. */
export function zshCompletion(program: string, nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => `"${keyOf(path)}"`);
  return `#compdef ${program}
# Completion of ${program} for zsh. To install it: source <(${program} completion zsh)
_${program}() {
  local prev=\${words[CURRENT-1]} cur=\${words[CURRENT]} place= word= skip= i position=0
  local -a commands options args values
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ -n $skip ]]; then skip=; continue; fi
    case $word in
      ${valueOptionNames(nodes).join("|")}) skip=1 ;;
      -*) ;;
      *)
        case "$place $word" in
          ${paths.join("|")}) place="$place $word" ;;
          *) args+=("$word"); ((position += 1)) ;;
        esac
        ;;
    esac
  done
  if [[ $cur == --*=* ]]; then prev=\${cur%%=*}; compset -P '*='; cur=; fi
  case $place in
${nodes.map((node) => nodeCase(program, node)).join("\n")}
  esac
}
if [[ \${funcstack[1]} == _${program} ]]; then _${program} "$@"; else compdef _${program} ${program}; fi
`;
}

function nodeCase(program: string, { path, commands, options, arguments: positions }: CompletionNode): string {
  const words = options.flatMap(({ names, description }) => names.map((name) => ({ name, description })));
  const afterOption = options.flatMap((option) =>
    option.value === undefined
      ? []
      : [`        ${option.names.join("|")}) ${complete(program, option.value)}; return ;;`],
  );
  const atPosition = positions.map((value, position) => `        ${position}) ${complete(program, value)} ;;`);
  return `    "${keyOf(path)}")
      case $prev in
${afterOption.join("\n")}
      esac
      options=(${describe(words)})
      commands=(${describe(commands)})
      if [[ $cur == -* ]]; then _describe -o option options; return; fi
      case $position in
${[...atPosition, "        *) _describe command commands ;;"].join("\n")}
      esac
      ;;`;
}

function complete(program: string, { choices, isFile, source }: CompletionValue): string {
  if (source !== undefined)
    return `values=(\${(f)"$(${program} __complete ${source} "\${args[@]}" 2>/dev/null)"}); compadd -- "\${values[@]}"`;
  if (isFile) return "_files";
  return choices.length === 0 ? "_message value" : `compadd -- ${choices.join(" ")}`;
}

function describe(words: readonly CompletionWord[]): string {
  return words.map(({ name, description }) => `'${name}:${description.replaceAll("'", "'\\''")}'`).join(" ");
}

function keyOf(path: readonly string[]): string {
  return path.map((name) => ` ${name}`).join("");
}
