//===- Server.cpp - the messages of the protocol --------------------------===//

#include "CheckQueue.h"
#include "Completion.h"
#include "Formatting.h"
#include "Hover.h"
#include "InlayHints.h"
#include "LanguageServer/LanguageServer.h"
#include "MessageFilter.h"
#include "Protocol.h"
#include "Reports.h"
#include "SemanticTokens.h"
#include "Symbols.h"
#include "llvm/Support/LSP/Transport.h"
#include <set>

using namespace tdc;
namespace json = llvm::json;

namespace {

/// Requests are answered on the thread that reads them. The thread of the queue
/// publishes what its checks find.
class Server {
public:
  Server(lsp::JSONTransport &transport)
      : messages(transport), publish(messages.outgoingNotification<json::Value>(
                                 "textDocument/publishDiagnostics")),
        queue([this](const std::string &path,
                     std::shared_ptr<const Analysis> analysis) {
          finishCheck(path, std::move(analysis));
        }) {
    messages.method("initialize", this, &Server::initialize);
    messages.method("shutdown", this, &Server::shutdown);
    messages.notification("textDocument/didOpen", this, &Server::open);
    messages.notification("textDocument/didChange", this, &Server::change);
    messages.notification("textDocument/didClose", this, &Server::close);
    messages.method("textDocument/codeAction", this, &Server::codeAction);
    messages.method("textDocument/hover", this, &Server::hover);
    messages.method("textDocument/definition", this, &Server::definition);
    messages.method("textDocument/references", this, &Server::references);
    messages.method("textDocument/documentSymbol", this, &Server::symbols);
    messages.method("textDocument/prepareRename", this, &Server::canRename);
    messages.method("textDocument/rename", this, &Server::renameSymbol);
    messages.method("textDocument/completion", this, &Server::complete);
    messages.method("textDocument/inlayHint", this, &Server::inlayHints);
    messages.method("textDocument/semanticTokens/full", this,
                    &Server::semanticTokens);
    messages.method("textDocument/formatting", this, &Server::format);
  }

  lsp::MessageHandler messages;
  bool isShutDown = false;

private:
  using Reply = lsp::Callback<json::Value>;

  // The server -------------------------------------------------------------//

  void initialize(const lsp::InitializeParams &, Reply reply) {
    reply(json::Object{
        {"serverInfo", json::Object{{"name", "tdc"}}},
        {"capabilities",
         json::Object{
             {"textDocumentSync",
              json::Object{
                  {"openClose", true},
                  {"change",
                   static_cast<int>(lsp::TextDocumentSyncKind::Incremental)}}},
             {"codeActionProvider",
              json::Object{
                  {"codeActionKinds",
                   json::Array{lsp::CodeAction::kQuickFix, "source.fixAll"}}}},
             {"hoverProvider", true},
             {"definitionProvider", true},
             {"referencesProvider", true},
             {"documentSymbolProvider", true},
             {"renameProvider", json::Object{{"prepareProvider", true}}},
             {"completionProvider",
              json::Object{{"triggerCharacters", json::Array{"."}}}},
             {"inlayHintProvider", true},
             {"documentFormattingProvider", true},
             {"semanticTokensProvider",
              json::Object{{"legend", getSemanticTokensLegend()},
                           {"full", true}}},
         }},
    });
  }

  void shutdown(const lsp::NoParams &, Reply reply) {
    isShutDown = true;
    reply(nullptr);
  }

  // Documents --------------------------------------------------------------//

  void open(const lsp::DidOpenTextDocumentParams &params) {
    std::lock_guard<std::mutex> lock(mutex);
    Document &document = documents[params.textDocument.uri.file().str()];
    document.uri = params.textDocument.uri;
    document.version = params.textDocument.version;
    document.setText(Text(params.textDocument.text));
    checkWithImporters(document.getPath());
  }

  void change(const lsp::DidChangeTextDocumentParams &params) {
    std::lock_guard<std::mutex> lock(mutex);
    Document *document = find(params.textDocument.uri);
    if (!document)
      return;
    document->version = params.textDocument.version;
    for (const auto &change : params.contentChanges)
      document->setText(document->text->apply(change));
    checkWithImporters(document->getPath());
  }

  void close(const lsp::DidCloseTextDocumentParams &params) {
    std::lock_guard<std::mutex> lock(mutex);
    std::string path = params.textDocument.uri.file().str();
    queue.remove(path);
    documents.erase(path);
    publishAll(path, {});
    checkWithImporters(path); // they read its file again
  }

  Document *find(const lsp::URIForFile &uri) {
    auto found = documents.find(uri.file().str());
    return found == documents.end() ? nullptr : &found->second;
  }

  // Checks -----------------------------------------------------------------//

  OpenTexts getOpenTexts() const {
    OpenTexts open;
    for (const auto &[path, document] : documents)
      open[path] = document.text;
    return open;
  }

  /// Checks the document at a path, if it is open, and those that import it.
  void checkWithImporters(const std::string &changed) {
    OpenTexts open = getOpenTexts();
    for (auto &[path, document] : documents)
      if (path == changed ||
          (document.getAnalysis() && reads(*document.getAnalysis(), changed)))
        queue.add(path, document.text, open);
  }

  /// Whether a check has read the file at `path`, apart from the program.
  static bool reads(const Analysis &analysis, llvm::StringRef path) {
    const SourceManager &sources = analysis.getSources();
    for (FileId file = 1; file <= sources.getNumFiles(); ++file)
      if (file != analysis.getFile() && sources.getName(file) == path)
        return true;
    return false;
  }

  void finishCheck(const std::string &path,
                   std::shared_ptr<const Analysis> analysis) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = documents.find(path);
    if (found == documents.end())
      return;
    Document &document = found->second;
    document.setAnalysis(std::move(analysis));
    if (const Analysis *current = document.getCurrent())
      publishAll(path, getReports(*current, document.uri));
  }

  /// Publishes the reports of a check, and removes those of the last check that
  /// are in other documents.
  void publishAll(const std::string &path,
                  std::map<std::string, json::Array> reports) {
    std::set<std::string> &shown = published[path];
    for (const std::string &uri : shown)
      reports[uri];
    shown.clear();
    for (auto &[uri, list] : reports) {
      const Document *owner = nullptr;
      for (auto &[other, document] : documents)
        if (document.uri.uri() == uri)
          owner = &document;
      // An open document has a check of its own.
      if (owner && owner->getPath() != path)
        continue;
      json::Object params{{"uri", uri}};
      if (owner)
        params["version"] = owner->version;
      if (!list.empty() || owner)
        shown.insert(uri);
      params["diagnostics"] = std::move(list);
      publish(std::move(params));
    }
  }

  // Requests ---------------------------------------------------------------//

  /// Answers a request about a document; null if it is not open.
  template <typename Params>
  void answer(const Params &params, Reply reply,
              llvm::function_ref<llvm::Expected<json::Value>(Document &)> ask) {
    std::lock_guard<std::mutex> lock(mutex);
    Document *document = find(params.textDocument.uri);
    reply(document ? ask(*document) : json::Value(nullptr));
  }

  static json::Value toArray(llvm::ArrayRef<lsp::Location> locations) {
    json::Array array;
    for (const lsp::Location &location : locations)
      array.push_back(toValue(location));
    return array;
  }

  template <typename T>
  static llvm::Expected<json::Value> take(llvm::Expected<T> result) {
    if (!result)
      return result.takeError();
    return json::Value(std::move(*result));
  }

  void codeAction(const lsp::CodeActionParams &params, Reply reply) {
    answer(params, std::move(reply), [&](Document &document) {
      return getCodeActions(document, params.range, params.context.only);
    });
  }

  void hover(const lsp::TextDocumentPositionParams &params, Reply reply) {
    answer(params, std::move(reply), [&](Document &document) {
      return getHover(document, params.position);
    });
  }

  void definition(const lsp::TextDocumentPositionParams &params, Reply reply) {
    answer(params, std::move(reply), [&](Document &document) {
      return toArray(getDefinition(document, params.position));
    });
  }

  void references(const lsp::ReferenceParams &params, Reply reply) {
    answer(params, std::move(reply), [&](Document &document) {
      return toArray(getReferences(document, params.position,
                                   params.context.includeDeclaration));
    });
  }

  void symbols(const DocumentParams &params, Reply reply) {
    answer(params, std::move(reply), [&](Document &document) {
      return json::Array(getDocumentSymbols(document));
    });
  }

  void canRename(const lsp::TextDocumentPositionParams &params, Reply reply) {
    answer(params, std::move(reply), [&](Document &document) {
      return take(prepareRename(document, params.position));
    });
  }

  void renameSymbol(const RenameParams &params, Reply reply) {
    answer(params, std::move(reply),
           [&](Document &document) -> llvm::Expected<json::Value> {
             if (std::string other = findImporter(document, params.position);
                 !other.empty())
               return llvm::make_error<lsp::LSPError>(
                   "`" + other + "` imports this file and uses the name",
                   lsp::ErrorCode::RequestFailed);
             return take(rename(document, params.position, params.newName));
           });
  }

  static bool hasName(const Syntax &syntax, llvm::StringRef name) {
    return llvm::any_of(syntax.names.getAll(), [&](const Occurrence &other) {
      return syntax.sources.getText(other.range) == name;
    });
  }

  /// The path of another open document that imports this one and has the name
  /// at a position; "" if there is none.
  std::string findImporter(Document &document, lsp::Position position) {
    const Names &names = document.getSyntax().names;
    const Occurrence *name = names.find(document.text->getOffset(position));
    int symbol = name ? findSymbol(document, *name) : -1;
    if (symbol < 0 || !names.isShared(symbol))
      return "";
    for (auto &[path, other] : documents)
      if (other.getAnalysis() &&
          reads(*other.getAnalysis(), document.getPath()) &&
          hasName(other.getSyntax(), names.getSymbol(symbol).name))
        return path;
    return "";
  }

  void complete(const lsp::CompletionParams &params, Reply reply) {
    answer(params, std::move(reply), [&](Document &document) {
      return getCompletion(document, params.position, getOpenTexts());
    });
  }

  void inlayHints(const lsp::InlayHintsParams &params, Reply reply) {
    answer(params, std::move(reply), [&](Document &document) {
      return getInlayHints(document, params.range);
    });
  }

  void semanticTokens(const DocumentParams &params, Reply reply) {
    answer(params, std::move(reply),
           [&](Document &document) { return getSemanticTokens(document); });
  }

  void format(const DocumentParams &params, Reply reply) {
    answer(params, std::move(reply),
           [&](Document &document) { return getFormatting(document); });
  }

  lsp::OutgoingNotification<json::Value> publish;
  std::mutex mutex;                          ///< of the members below
  std::map<std::string, Document> documents; ///< by path
  /// The documents for which the last check of one published reports.
  std::map<std::string, std::set<std::string>> published;
  CheckQueue queue; ///< the last member: it ends before the others
};

} // namespace

bool tdc::runLanguageServer(std::FILE *in, llvm::raw_ostream &out) {
  lsp::JSONTransport transport(std::make_unique<MessageFilter>(in), out);
  Server server(transport);
  // The end of the input is an end without `exit`.
  llvm::consumeError(transport.run(server.messages));
  return server.isShutDown;
}
