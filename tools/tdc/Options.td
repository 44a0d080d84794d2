//===- Options.td - the options of tdc ------------------------------------===//
//
// Each option is visible to the verbs that use it. The help texts, "did you
// mean" and the check of the command line are generated from this file.
//
//===----------------------------------------------------------------------===//

include "llvm/Option/OptParser.td"

def RunVerb : OptionVisibility;
def CheckVerb : OptionVisibility;
def BuildVerb : OptionVisibility;
def EmitVerb : OptionVisibility;
def ExplainVerb : OptionVisibility;
def VersionVerb : OptionVisibility;
def FixVerb : OptionVisibility;
def ReportVerb : OptionVisibility;
def DoctorVerb : OptionVisibility;
def CompletionVerb : OptionVisibility;
def ManualVerb : OptionVisibility;
def NewVerb : OptionVisibility;
def FmtVerb : OptionVisibility;
def LanguageServerVerb : OptionVisibility;

defvar AllVerbs = [RunVerb, CheckVerb, BuildVerb, EmitVerb, ExplainVerb, VersionVerb, FixVerb, ReportVerb, DoctorVerb, CompletionVerb, ManualVerb, NewVerb, FmtVerb, LanguageServerVerb];
defvar ProgramVerbs = [RunVerb, CheckVerb, BuildVerb, EmitVerb, FixVerb, ReportVerb];
defvar MessageVerbs = [RunVerb, CheckVerb, BuildVerb, EmitVerb, FixVerb, ReportVerb, FmtVerb];
defvar GuardVerbs = [RunVerb, CheckVerb, BuildVerb, EmitVerb, ReportVerb];
defvar ArtefactVerbs = [BuildVerb, EmitVerb];

class Switch<string name, string help, list<OptionVisibility> verbs>
    : Flag<["--"], name>, HelpText<help>, Visibility<verbs>;

/// `--name value` and `--name=value`. `Values` are the words for completion; the names of
/// phases and of placement modes have their own tables.
multiclass Valued<string name, string value, string help,
                  list<OptionVisibility> verbs> {
  def "" : Separate<["--"], name>, HelpText<help>, MetaVarName<value>,
           Visibility<verbs>;
  def _joined : Joined<["--"], name # "=">, Alias<!cast<Option>(NAME)>,
                Visibility<verbs>;
}

def help : Switch<"help", "show this text", AllVerbs>;
def help_short : Flag<["-"], "h">, Alias<help>, Visibility<AllVerbs>;

def output : JoinedOrSeparate<["-"], "o">, MetaVarName<"<file>">,
             HelpText<"where to write">, Visibility<ArtefactVerbs>;
defm phase : Valued<"phase", "<name>", "the phase to print, as td, placed, llvm or asm", [EmitVerb]>;
defm graph : Valued<"graph", "<form>", "draw the calls, devices and copies: svg or html", [EmitVerb]>, Values<"svg,html">;
def lib : Switch<"lib", "a C library and its header instead of an executable", [BuildVerb]>, Flags<[HelpHidden]>;
def verbose : Switch<"verbose", "show source lines, and the resources of GPU kernels", ArtefactVerbs>;
defm cubin : Valued<"cubin", "<chips>", "add machine code for GPUs, as sm_80,sm_90", ArtefactVerbs>;
defm target_cpu : Valued<"target-cpu", "<name>", "make code for another processor, as haswell", ArtefactVerbs>;
def embed_source : Switch<"embed-source", "put source lines into the program, for its errors", [BuildVerb]>;
defm depfile : Valued<"depfile", "<file>", "write the files that were read, as a rule for make", [BuildVerb]>;
defm set : Valued<"set", "<arg>=<value>", "give an `arg` its value now", [CheckVerb, BuildVerb, EmitVerb, FixVerb, ReportVerb]>;
def watch : Switch<"watch", "check again when a file that is read changes", [CheckVerb]>;
def check : Switch<"check", "list the files that would change, write nothing", [FmtVerb]>;
def dry_run : Switch<"dry-run", "say what would change, write nothing", [FixVerb]>;

def json : Switch<"json", "the report as JSON", [ReportVerb]>;
defm html : Valued<"html", "<file>", "the report as a page with a picture, to this file", [ReportVerb]>;
defm trace : Valued<"trace", "<file>", "show the times of a run from its TDC_TRACE file", [ReportVerb]>;

defm function : Valued<"fn", "<name>", "call this `export fn` after the program", [RunVerb]>;
defm input : Valued<"in", "<param>=<file>", "read a parameter of the function from a file", [RunVerb]>;
defm result : Valued<"out", "<name>=<file>", "write the next result to a file, .npy or .npz", [RunVerb]>;
defm repeat : Valued<"repeat", "<n>", "call n more times, print the mean nanoseconds", [RunVerb]>;

defm plot : Valued<"plot", "<file.svg>", "draw the numbers that the program prints, as the loss", [RunVerb]>;
defm threads : Valued<"threads", "<n>", "threads of kernels on the cpu, without it its cores", [RunVerb]>;

defm device : Valued<"device", "<device>", "where to run: cpu (the default), cuda, cuda:1, auto", ProgramVerbs>, Values<"cpu,cuda,auto">;
defm require : Valued<"require", "<device>", "cuda: an error where there is no GPU", [RunVerb]>, Values<"cuda">;
defm placement : Valued<"placement", "<mode>", "insert (the default), warn, strict, optimize or off", ProgramVerbs>;
def no_t_ops : Switch<"no-t-ops", "run every op on the device that the program says", ProgramVerbs>;
def tf32 : Switch<"tf32", "multiply f32 matrices on tensor cores, in TF32", [RunVerb, BuildVerb, EmitVerb]>;
def check_numerics : Switch<"check-numerics", "report the first op whose result is nan or inf", [RunVerb, BuildVerb]>;
def strict_numerics : Switch<"strict-numerics", "stop where nan or inf is reported", [RunVerb, BuildVerb]>;
defm transfer_guard : Valued<"transfer-guard", "<mode>", "allow, log or disallow copies in loops without `.to`", GuardVerbs>, Values<"allow,log,disallow">;
defm memory_budget : Valued<"memory-budget", "<bytes>", "memory of each GPU, as 512M; of one: cuda:0=512M", GuardVerbs>;
defm sim_cuda : Valued<"sim-cuda", "<n>", "compile for n CUDA devices, which `run` simulates", ProgramVerbs>;
defm color : Valued<"color", "<when>", "colours of messages: auto, always or never", MessageVerbs>, Values<"auto,always,never">;
defm message_format : Valued<"message-format", "<form>", "text, or json: one object per line", MessageVerbs>, Values<"text,json">;

def quiet : Switch<"quiet", "show errors and warnings only, no progress, no notes", [RunVerb, CheckVerb, BuildVerb]>;
def time_phases : Switch<"time-phases", "print how long each phase took", [RunVerb, BuildVerb]>, Flags<[HelpHidden]>;
