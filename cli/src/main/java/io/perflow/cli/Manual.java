package io.perflow.cli;

import io.perflow.Perflow;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A writer of the manual pages of the command and of its completion for shells. Both are made from
 * the declarations of commands and options, as {@code --help} does, and are made anew in every
 * build.
 */
public final class Manual {
  private static final String NAME = "perflow";

  private Manual() {}

  /**
   * Writes files: {@code man DIR} for manual pages, {@code completions DIR} for bash and zsh.
   *
   * @param args the kind of files to write, and the directory
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[1]);
    Files.createDirectories(directory);
    Map<String, String> files = args[0].equals("man") ? pages() : completions();
    for (Map.Entry<String, String> file : files.entrySet()) {
      Files.writeString(directory.resolve(file.getKey()), file.getValue());
    }
  }

  private static CommandLine command() {
    PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
    return Main.commandLine(nowhere, nowhere, Screen.NONE);
  }

  /** Returns the scripts for shells, by the names under which these look for them. */
  static Map<String, String> completions() {
    String bash = AutoComplete.bash(NAME, command()).replaceAll("[ \t]+\n", "\n");
    String zsh =
        """
        #compdef %s
        # zsh runs the completion of bash, and has no compopt.
        autoload -U +X bashcompinit && bashcompinit
        (( $+functions[compopt] )) || compopt() { : }
        """
            .formatted(NAME);
    // zsh reads the file when it first completes the command, and this line completes that first
    // call, too.
    String first = "_bash_complete -o default -F _complete_%s\n".formatted(NAME);
    return Map.of(NAME + ".bash", bash, "_" + NAME, zsh + bash + first);
  }

  /** Returns the manual pages in roff, by their file names. */
  static Map<String, String> pages() {
    Map<String, String> pages = new LinkedHashMap<>();
    collect(command().getCommandSpec(), pages);
    return pages;
  }

  private static void collect(CommandSpec command, Map<String, String> pages) {
    pages.put(file(command), page(command));
    command.subcommands().values().forEach(sub -> collect(sub.getCommandSpec(), pages));
  }

  private static String title(CommandSpec command) {
    return command.qualifiedName("-");
  }

  private static String file(CommandSpec command) {
    return title(command) + ".1";
  }

  private static String page(CommandSpec command) {
    List<String> about = List.of(command.usageMessage().description());
    StringBuilder page = new StringBuilder();
    page.append(
        ".TH %s 1 \"\" \"perflow %s\" \"perflow manual\"\n"
            .formatted(title(command).toUpperCase(Locale.ROOT), Perflow.version()));
    page.append(".SH NAME\n").append(escape(title(command)));
    page.append(" \\- ").append(escape(about.getFirst().replaceFirst("\\.$", ""))).append('\n');
    page.append(".SH SYNOPSIS\n.nf\n");
    String synopsis = command.commandLine().getHelp().synopsis(0);
    page.append(escape(synopsis.strip())).append("\n.fi\n");
    if (about.size() > 1) {
      page.append(".SH DESCRIPTION\n");
      about.stream().skip(1).forEach(p -> page.append(escape(p)).append("\n.PP\n"));
    }
    arguments(command, page);
    subcommands(command, page);
    page.append(".SH EXIT STATUS\n")
        .append("0 on success, 1 when the command failed, 2 when it was called wrongly.\n");
    return page.toString();
  }

  private static void arguments(CommandSpec command, StringBuilder page) {
    List<ArgSpec> all = new ArrayList<>(command.positionalParameters());
    command.options().stream()
        .sorted(Comparator.comparing(OptionSpec::longestName))
        .forEach(all::add);
    page.append(".SH OPTIONS\n");
    for (ArgSpec argument : all) {
      if (!argument.hidden()) {
        page.append(".TP\n.B ").append(escape(names(argument))).append('\n');
        String text = String.join(" ", argument.description());
        page.append(escape(text)).append('\n');
      }
    }
  }

  private static String names(ArgSpec argument) {
    return switch (argument) {
      case OptionSpec option ->
          String.join(", ", option.names())
              + (option.arity().max() == 0 ? "" : " " + option.paramLabel());
      case PositionalParamSpec parameter -> parameter.paramLabel();
      default -> throw new IllegalStateException("an argument of an unknown kind: " + argument);
    };
  }

  private static void subcommands(CommandSpec command, StringBuilder page) {
    Collection<CommandLine> all = command.subcommands().values();
    if (all.isEmpty()) {
      return;
    }
    page.append(".SH COMMANDS\n");
    for (CommandLine sub : all) {
      CommandSpec spec = sub.getCommandSpec();
      page.append(".TP\n.B ").append(escape(title(spec))).append("(1)\n");
      page.append(escape(spec.usageMessage().description()[0])).append('\n');
    }
  }

  // roff interprets backslashes, and dots and quotes at the start of a line.
  private static String escape(String text) {
    return text.replace("%n", "\n")
        .replace("%%", "%")
        .replace("\\", "\\e")
        .replace("-", "\\-")
        .replaceAll("(?m)^([.'])", "\\\\&$1");
  }
}
