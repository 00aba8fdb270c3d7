import {
  type CompletionNode,
  type CompletionOption,
  type CompletionValue,
  valueOptionNames,
} from "./completion-node.js";

/** Generates a completion script for fish. */
export function fishCompletion(program: string, nodes: readonly CompletionNode[]): string {
  const paths = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(" ")));
  return `# Completion of ${program} for fish. To install it: ${program} completion fish | source
# Prints the server's values of kind $argv, given the arguments so far.
function __${program}_values
    ${program} __complete $argv $__${program}_args 2>/dev/null
end
# Succeeds if the words so far name the command $argv[1], followed by $argv[2] arguments if given.
function __${program}_at
    set -l place ''
    set -l position 0
    set -l skip 0
    set -g __${program}_args
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${valueOptionNames(nodes).join(" ")}
                set skip 1
            case '-*'
            case '*'
                set -l longer (string trim -- "$place $word")
                if contains -- $longer ${paths.join(" ")}
                    set place $longer
                else
                    set position (math $position + 1)
                    set -a __${program}_args $word
                end
        end
    end
    test "$place" = "$argv[1]"; and begin
        not set -q argv[2]; or test $position = $argv[2]
    end
end
complete -c ${program} -f
${nodes.flatMap((node) => nodeLines(program, node)).join("\n")}
`;
}

function nodeLines(program: string, { path, commands, options, arguments: positions }: CompletionNode): string[] {
  const place = quote(path.join(" "));
  const at = (position?: number): string =>
    `complete -c ${program} -n ${quote(`__${program}_at ${place}${position === undefined ? "" : ` ${position}`}`)}`;
  return [
    ...commands.map(({ name, description }) => `${at(0)} -a ${name} -d ${quote(description)}`),
    ...options.map((option) => `${at()} ${optionFlags(option)}`),
    ...positions.map((value, position) => `${at(position)} ${argumentFlags(program, value)}`),
  ];
}

function optionFlags({ names, description, value }: CompletionOption): string {
  const flags = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return [...flags, `-d ${quote(description)}`, ...(value === undefined ? [] : ["-r", valueFlags(value)])].join(" ");
}

function argumentFlags(program: string, value: CompletionValue): string {
  return value.source === undefined ? valueFlags(value) : `-f -a '(__${program}_values ${value.source})'`;
}

function valueFlags({ choices, isFile }: CompletionValue): string {
  return isFile ? "-F" : `-f -a ${quote(choices.join(" "))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
