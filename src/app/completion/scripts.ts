/** @file The script that each shell evaluates once, which calls robust at each tab. */

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

interface ShellScript {
  /** The line for the file that the shell reads when it starts. */
  readonly line: string;
  readonly file: string;
  readonly script: string;
}

export const shellScripts: Readonly<Record<Shell, ShellScript>> = {
  bash: {
    file: '~/.bashrc',
    line: 'source <(robust completion bash)',
    // Where robust offers nothing, bash offers files.
    script: `_robust() {
  local IFS=$'\\n'
  COMPREPLY=($(robust __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _robust robust
`,
  },
  zsh: {
    file: '~/.zshrc',
    line: 'source <(robust completion zsh)',
    script: `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_robust() {
  local -a found
  local line
  for line in "\${(@f)$(robust __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#found )); then _describe -V robust found; else _files; fi
}
compdef _robust robust
`,
  },
  fish: {
    file: '~/.config/fish/config.fish',
    line: 'robust completion fish | source',
    script: `function __robust_complete
  set -l words (commandline -opc) "$(commandline -ct)"
  robust __complete $words[2..-1] 2>/dev/null
end
complete -c robust -a '(__robust_complete)'
`,
  },
};
