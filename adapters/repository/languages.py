"""The languages that are parsed, by their grammars' wheels, with the syntax nodes that define a
name and those that call a name.

A grammar is loaded when a file of its language is first parsed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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


BOUND = ("variable_declarator", "assignment_expression", "pair")
"""JavaScript's ways to give a function a name; definitions if the value is a function."""
_JVM_TYPES = ("class_declaration", "interface_declaration", "enum_declaration")
_JAVASCRIPT = Language(
    *("JavaScript", "javascript", "tree_sitter_javascript", (".js", ".jsx", ".mjs", ".cjs")),
    functions=(
        *("function_declaration", "generator_function_declaration", "method_definition"),
        *BOUND,
    ),
    types=("class_declaration",),
    calls=("call_expression", "new_expression"),
    imports=("import_statement",),
)
_TYPESCRIPT = replace(
    _JAVASCRIPT,
    name="TypeScript",
    module="tree_sitter_typescript",
    suffixes=(".ts", ".mts", ".cts"),
    types=(*_JVM_TYPES, "abstract_class_declaration", "type_alias_declaration"),
    entry="language_typescript",
)

LANGUAGES = (
    Language(
        *("Python", "python", "tree_sitter_python", (".py", ".pyi")),
        functions=("function_definition",),
        types=("class_definition",),
        calls=("call",),
        imports=("import_statement", "import_from_statement"),
    ),
    _JAVASCRIPT,
    _TYPESCRIPT,
    replace(_TYPESCRIPT, name="TSX", suffixes=(".tsx",), entry="language_tsx"),
    Language(
        *("Go", "go", "tree_sitter_go", (".go",)),
        functions=("function_declaration", "method_declaration"),
        types=("type_spec",),
        calls=("call_expression",),
        imports=("import_declaration",),
    ),
    Language(
        *("Java", "jvm", "tree_sitter_java", (".java",)),
        functions=("method_declaration", "constructor_declaration"),
        types=(*_JVM_TYPES, "record_declaration"),
        calls=("method_invocation", "object_creation_expression"),
        imports=("import_declaration",),
    ),
    Language(
        *("Kotlin", "jvm", "tree_sitter_kotlin", (".kt", ".kts")),
        functions=("function_declaration",),
        types=("class_declaration", "object_declaration"),
        calls=("call_expression",),
        imports=("import", "import_header"),
    ),
    Language(
        *("C", "c", "tree_sitter_c", (".c",)),
        functions=("function_definition", "preproc_function_def"),
        types=("struct_specifier", "enum_specifier", "type_definition"),
        calls=("call_expression",),
        imports=("preproc_include",),
    ),
    Language(
        *("C++", "c", "tree_sitter_cpp", (".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx")),
        functions=("function_definition", "preproc_function_def"),
        types=("class_specifier", "struct_specifier", "enum_specifier", "type_definition"),
        calls=("call_expression", "new_expression"),
        imports=("preproc_include", "using_declaration"),
    ),
    Language(
        *("C#", "csharp", "tree_sitter_c_sharp", (".cs",)),
        functions=("method_declaration", "constructor_declaration", "local_function_statement"),
        types=(*_JVM_TYPES, "struct_declaration", "record_declaration"),
        calls=("invocation_expression", "object_creation_expression"),
        imports=("using_directive",),
    ),
    Language(
        *("Rust", "rust", "tree_sitter_rust", (".rs",)),
        functions=("function_item", "macro_definition"),
        types=("struct_item", "enum_item", "trait_item", "impl_item"),
        calls=("call_expression", "macro_invocation"),
        imports=("use_declaration", "mod_item", "extern_crate_declaration"),
    ),
    Language(
        *("Ruby", "ruby", "tree_sitter_ruby", (".rb", ".rake")),
        functions=("method", "singleton_method"),
        types=("class", "module"),
        calls=("call",),
        imports=(),
    ),
    Language(
        *("PHP", "php", "tree_sitter_php", (".php",)),
        functions=("function_definition", "method_declaration"),
        types=(*_JVM_TYPES, "trait_declaration"),
        calls=(
            *("function_call_expression", "member_call_expression", "object_creation_expression"),
            *("nullsafe_member_call_expression", "scoped_call_expression"),
        ),
        imports=("namespace_use_declaration",),
        entry="language_php",
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
