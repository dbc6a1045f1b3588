"""The languages that are parsed, by their grammars' wheels, with the syntax nodes that define a
name and those that call a name.

A grammar is loaded when a file of its language is first parsed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from core.debate.errors import BadInput, brought_by

if TYPE_CHECKING:
    from tree_sitter import Parser


@dataclass(frozen=True, slots=True)
class Language:
    """``functions`` and ``types`` are the grammar's nodes that define, ``calls`` those that call,
    ``imports`` those that name other files.

    ``family`` names languages whose files use each other. ``entry`` is the function of ``module``
    that gives the grammar.
    """

    name: str
    family: str
    module: str
    suffixes: tuple[str, ...]
    functions: tuple[str, ...]
    types: tuple[str, ...]
    calls: tuple[str, ...]
    imports: tuple[str, ...]
    entry: str = "language"


_JS_FUNCTIONS = ("function_declaration", "generator_function_declaration", "method_definition")
BOUND = ("variable_declarator", "assignment_expression", "pair")
"""JavaScript's ways to give a function a name; definitions if the value is a function."""
_TS_TYPES = (
    "class_declaration",
    "abstract_class_declaration",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
)
_JS_CALLS = ("call_expression", "new_expression")
_JS_IMPORTS = ("import_statement",)
_JVM_TYPES = ("class_declaration", "interface_declaration", "enum_declaration")

LANGUAGES = (
    Language(
        "Python",
        "python",
        "tree_sitter_python",
        (".py", ".pyi"),
        ("function_definition",),
        ("class_definition",),
        ("call",),
        ("import_statement", "import_from_statement"),
    ),
    Language(
        "JavaScript",
        "javascript",
        "tree_sitter_javascript",
        (".js", ".jsx", ".mjs", ".cjs"),
        (*_JS_FUNCTIONS, *BOUND),
        ("class_declaration",),
        _JS_CALLS,
        _JS_IMPORTS,
    ),
    Language(
        "TypeScript",
        "javascript",
        "tree_sitter_typescript",
        (".ts", ".mts", ".cts"),
        (*_JS_FUNCTIONS, *BOUND),
        _TS_TYPES,
        _JS_CALLS,
        _JS_IMPORTS,
        "language_typescript",
    ),
    Language(
        "TSX",
        "javascript",
        "tree_sitter_typescript",
        (".tsx",),
        (*_JS_FUNCTIONS, *BOUND),
        _TS_TYPES,
        _JS_CALLS,
        _JS_IMPORTS,
        "language_tsx",
    ),
    Language(
        "Go",
        "go",
        "tree_sitter_go",
        (".go",),
        ("function_declaration", "method_declaration"),
        ("type_spec",),
        ("call_expression",),
        ("import_declaration",),
    ),
    Language(
        "Java",
        "jvm",
        "tree_sitter_java",
        (".java",),
        ("method_declaration", "constructor_declaration"),
        (*_JVM_TYPES, "record_declaration"),
        ("method_invocation", "object_creation_expression"),
        ("import_declaration",),
    ),
    Language(
        "Kotlin",
        "jvm",
        "tree_sitter_kotlin",
        (".kt", ".kts"),
        ("function_declaration",),
        ("class_declaration", "object_declaration"),
        ("call_expression",),
        ("import", "import_header"),
    ),
    Language(
        "C",
        "c",
        "tree_sitter_c",
        (".c",),
        ("function_definition", "preproc_function_def"),
        ("struct_specifier", "enum_specifier", "type_definition"),
        ("call_expression",),
        ("preproc_include",),
    ),
    Language(
        "C++",
        "c",
        "tree_sitter_cpp",
        (".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"),
        ("function_definition", "preproc_function_def"),
        ("class_specifier", "struct_specifier", "enum_specifier", "type_definition"),
        ("call_expression", "new_expression"),
        ("preproc_include", "using_declaration"),
    ),
    Language(
        "C#",
        "csharp",
        "tree_sitter_c_sharp",
        (".cs",),
        ("method_declaration", "constructor_declaration", "local_function_statement"),
        (*_JVM_TYPES, "struct_declaration", "record_declaration"),
        ("invocation_expression", "object_creation_expression"),
        ("using_directive",),
    ),
    Language(
        "Rust",
        "rust",
        "tree_sitter_rust",
        (".rs",),
        ("function_item", "macro_definition"),
        ("struct_item", "enum_item", "trait_item", "impl_item"),
        ("call_expression", "macro_invocation"),
        ("use_declaration", "mod_item", "extern_crate_declaration"),
    ),
    Language(
        "Ruby",
        "ruby",
        "tree_sitter_ruby",
        (".rb", ".rake"),
        ("method", "singleton_method"),
        ("class", "module"),
        ("call",),
        (),
    ),
    Language(
        "PHP",
        "php",
        "tree_sitter_php",
        (".php",),
        ("function_definition", "method_declaration"),
        (*_JVM_TYPES, "trait_declaration"),
        (
            "function_call_expression",
            "member_call_expression",
            "nullsafe_member_call_expression",
            "scoped_call_expression",
            "object_creation_expression",
        ),
        ("namespace_use_declaration",),
        "language_php",
    ),
)

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> Language | None:
    """Returns the language of a file by its ending; None for a language that is not parsed here."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())


@cache
def grammar(language: Language) -> Parser:
    """Returns the parser of a language. Raises ``BadInput`` if the grammars are not installed."""
    try:
        import tree_sitter
    except ImportError as error:
        raise BadInput(
            f"the grammars are not installed. They come with: {brought_by('grammars')}"
        ) from error

    entry = getattr(import_module(language.module), language.entry)
    return tree_sitter.Parser(tree_sitter.Language(entry()))
