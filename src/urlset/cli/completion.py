"""The command ``urlset completion``: print the completion script of a shell."""

from __future__ import annotations

from urlset.cli.console import Sink


def completion(
    *,
    shell: str,
    quiet: bool,  # noqa: ARG001 - as in all commands; nothing else is printed
) -> None:
    """Print the completion script of a shell: commands, options, their values, rules, files.

    The script starts no Python, so completion is fast. Print it again after an update of urlset.
    Packages of an operating system, and `pip install --user`, install it for bash and fish.

    Exit codes: 0 printed, 2 invalid usage.

    \b
    Examples:
      eval "$(urlset completion bash)"                 in ~/.bashrc
      eval "$(urlset completion zsh)"                  in ~/.zshrc, after compinit
      urlset completion fish > ~/.config/fish/completions/urlset.fish
      urlset completion bash > ~/.local/share/bash-completion/completions/urlset
    """  # noqa: D301 - the \b keeps the lines of the examples
    from urlset.cli.completion_scripts import completion_script

    with Sink(None) as sink:
        sink.write(completion_script(shell))
